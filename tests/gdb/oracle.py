#!/usr/bin/env python3
"""Compares recorded arguments and results with what gdb reads in the same process, at the same places.

    oracle.py [OPTION...] FISQL PROGRAM [ARGUMENT...]

The program is linked with start.c, recorded with --values, and held at its start until gdb is attached: so
pointers can be compared, too. gdb stops at the calls of the hooks and at the functions' returns (inside.py). Prints
each value that is wrong, up to --show of them, and counts: right, wrong, missing (fisql has none, gdb has one),
unverified (gdb has none, or does not say enough).
"""
import argparse
import collections
import decimal
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import time

MEMBERS_MAX = 32  # of a struct, and elements of an array, that fisql shows
HERE = os.path.dirname(os.path.abspath(__file__))


def entries_of(program):
    """Functions' first instructions, for a program that is recorded as it is, and ret instructions."""
    listing = subprocess.run(["objdump", "-d", "-j", ".text", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    sites = []
    for line in listing.splitlines():
        match = re.match(r"([0-9a-f]+) <(.*)>:$", line)
        if match and ".cold" not in match.group(2):
            sites.append("enter %s %s" % match.groups())
        match = re.match(r"\s*([0-9a-f]+):\s+(?:repz |bnd |notrack )?ret\b", line)
        if match:
            sites.append("return " + match.group(1))
    return sites


def sites_of(program):
    """Calls of the entry hook, with the function that they tell it of where the code before it shows that, and ret
    instructions: addresses in the file."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    sites, held = [], {}
    for line in listing.splitlines():
        if line.endswith(">:"):
            held = {}
        match = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)
        if not match:
            continue
        address, instruction, rest = match.groups()
        loaded = re.match(r"\S+\(%rip\),%(\w+)\s+# [0-9a-f]+ <([^>.+]+)", rest) if instruction == "lea" else None
        moved = re.match(r"%(\w+),%(\w+)$", rest) if instruction == "mov" else None
        written = re.search(r"%(\w+)$", rest) if not instruction.startswith(("cmp", "test", "push", "call")) else None
        if instruction.startswith("call"):
            if "<__cyg_profile_func_enter@" in rest:
                sites.append("enter %s %s" % (address, held.get("rdi") or ""))
            held.pop("rdi", None)
        elif instruction == "ret" or (instruction in ("repz", "bnd", "notrack") and " ret" in rest):
            sites.append("return " + address)
        elif loaded:
            held[loaded.group(1)] = loaded.group(2)
        elif moved:
            held[moved.group(2)] = held.get(moved.group(1))
        elif written:
            held.pop(re.sub(r"^e", "r", written.group(1)), None)
    return sites


def is_pie(program):
    with open(program, "rb") as file:
        return struct.unpack_from("<H", file.read(18), 16)[0] == 3


def pid_of(recorder, program):
    """The process that runs the program, once it waits at its gate."""
    for _ in range(3000):
        if recorder.poll() is not None:
            sys.exit("oracle.py: fisql record has ended: %s" % recorder.returncode)
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open("/proc/%s/stat" % entry, encoding="utf-8", errors="replace") as stat:
                        parent = int(stat.read().rsplit(")", 1)[1].split()[1])
                    if parent == recorder.pid and os.readlink("/proc/%s/exe" % entry) == program:
                        with open("/proc/%s/syscall" % entry, encoding="utf-8") as call:
                            if call.read().split()[0] in ("257", "0"):
                                return int(entry)
                except (OSError, ValueError, IndexError):
                    pass
        time.sleep(0.01)
    sys.exit("oracle.py: %s did not come to its gate" % program)


def record(options, work):
    program = os.path.realpath(options.program)
    gate, log, out = (os.path.join(work, name) for name in ("gate", "oracle.bin", "oracle.jsonl"))
    with open(os.path.join(work, "sites"), "w", encoding="utf-8") as file:
        file.write("\n".join((entries_of if options.as_is else sites_of)(program)) + "\n")
    for name in (gate, out):
        if os.path.exists(name):
            os.unlink(name)
    os.mkfifo(gate)
    with open(os.path.join(work, "said"), "w", encoding="utf-8") as said:
        recorder = subprocess.Popen([options.fisql, "record", "-q", "--values", "-o", log, program] + options.arguments,
                                    stdin=open(options.stdin, "rb"), stdout=said, stderr=said,
                                    env=dict(os.environ, FISQL_TEST_GATE=gate))
        config = {"pid": pid_of(recorder, program), "program": program, "gate": gate, "sites": os.path.join(work, "sites"),
                  "out": out, "each": options.each, "calls": options.calls, "as_is": options.as_is, "late": options.late, "after": options.after, "pie": is_pie(program),
                  "cxx": options.cxx}
        gdb = subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-x", os.path.join(HERE, "inside.py")],
                             env=dict(os.environ, ORACLE=json.dumps(config)), capture_output=True, text=True, check=False)
        if gdb.returncode != 0 or "Traceback" in gdb.stderr:
            recorder.kill()
            sys.exit("oracle.py: gdb: %s" % (gdb.stderr or gdb.stdout)[-2000:])
        recorder.wait()
    subprocess.run([options.fisql, "load", "-q", "-o", os.path.join(work, "oracle.db"), log], check=False)
    return out, os.path.join(work, "oracle.db")


# ---- comparing ----


def as_float(text):
    return {"nan": float("nan"), "-nan": float("nan")}.get(text, None) if "nan" in text else float(text)


def same_float(one, other, size=8):
    if one != one or other != other:
        return one != one and other != other
    if size == 4:
        return struct.pack("<f", one) == struct.pack("<f", other)
    return one == other


def same_long(text, value):
    """A long double: gdb's decimal digits, and fisql's."""
    if isinstance(value, (int, float)):
        value = repr(value)
    if "nan" in text.lower() or "nan" in value.lower():
        return "nan" in text.lower() and "nan" in value.lower()
    one, other = (decimal.Decimal(word.replace("inf", "Infinity")) for word in (text, value))
    return one == other or abs(one - other) <= abs(one) * decimal.Decimal("2e-18")


def parse_struct(text):
    """{a = 1, b = {c = 2}} as [["a", "1"], ["b", [["c", "2"]]]]."""
    at = 0

    def braces():
        nonlocal at
        found = []
        at += 1
        while text[at] != "}":
            match = re.match(r"(?:([^\s={},]+) = )?", text[at:])
            at += match.end()
            if text[at] == "{":
                found.append([match.group(1) or "", braces()])
            else:
                word = re.match(r'"(?:\\.|[^"\\])*"(?:\.\.\.)?|\d+ \'.\'|[^,}]*', text[at:]).group(0)
                at += len(word)
                found.append([match.group(1) or "", word])
            if text[at] == ",":
                at += 2
        at += 1
        return found

    parsed = braces()
    if at != len(text):
        raise ValueError(text)
    return parsed


def same_leaf(leaf, word):
    kind = leaf[0]
    if kind == "s":
        return same_members(leaf[1], word) if isinstance(word, list) else same_bytes(leaf, leaf[2], word)
    if isinstance(word, list):
        return None  # a union or array that fisql shows by its members: gdb gave its bytes
    if kind == "i":
        if word in ("true", "false"):
            return leaf[1] == (word == "true")
        values = [dict(leaf[2]).get(name) for name in word.split("|")]
        if None not in values:
            return sum(values) == leaf[1]
        return word == str(leaf[1]) or (32 <= leaf[1] < 127 and word == "%d '%c'" % (leaf[1], leaf[1]))
    if kind == "f":
        return same_float(float.fromhex(leaf[1]), as_float(word)) or same_float(float.fromhex(leaf[1]), as_float(word), 4)
    if kind == "l":
        return same_long(leaf[1], word)
    if kind == "p":
        if not word.startswith(("0x", "NULL")):
            return None  # a name
        return word == ("NULL" if leaf[1] == 0 else "0x%x" % (leaf[1] & (2**64 - 1)))
    return word == "x" + leaf[1]


def fold_texts(leaves, words):
    """One leaf, None, in place of the elements of an array that is shown as text."""
    texts = {shown + "[" for shown, word in words if not isinstance(word, list) and word.startswith('"')}
    folded = []
    for name, bit, bits, leaf in leaves:
        start = name.split("[")[0] + "["
        if "[" not in name or start not in texts:
            folded.append([name, bit, bits, leaf])
        elif not folded or folded[-1][0] != start:
            folded.append([start, bit, bits, None])
    return folded


def same_members(leaves, words):
    unsure = False
    ordered = sorted(leaves, key=lambda leaf: leaf[1]) if len({leaf[1] for leaf in leaves}) == len(leaves) else leaves
    ordered = fold_texts(ordered, words)
    for (name, _, _, leaf), (shown, word) in zip(ordered, words):
        if leaf is None:
            unsure = True  # a char array that is shown as text
            continue
        if shown != name:
            return None
        same = same_leaf(leaf, word)
        if same is False:
            return False
        unsure = unsure or same is None
    return None if unsure else True


def escaped(raw, cut):
    """Text as the database has it."""
    if cut:
        for back in range(1, 4):
            if len(raw) >= back and raw[-back] & 0xC0 == 0xC0:
                length = 2 if raw[-back] < 0xE0 else 3 if raw[-back] < 0xF0 else 4
                if length > back:
                    raw = raw[:-back]
                break
    shown, at = "", 0
    while at < len(raw):
        byte = raw[at]
        if byte in b"\n\t\r\\":
            shown += {10: "\\n", 9: "\\t", 13: "\\r", 92: "\\\\"}[byte]
        elif 0x20 <= byte < 0x7F:
            shown += chr(byte)
        else:
            for length in (2, 3, 4) if byte >= 0x80 else ():
                try:
                    shown += raw[at : at + length].decode("utf-8")
                    at += length - 1
                    break
                except UnicodeDecodeError:
                    pass
            else:
                shown += "\\x%02x" % byte
        at += 1
    return shown + ("\\..." if cut else "")


def masked(data, mask):
    return bytes(a & b for a, b in zip(data, mask))


def leaf_bytes(leaf, size):
    if leaf[0] == "f":
        return struct.pack("<f" if size == 4 else "<d", float.fromhex(leaf[1]))
    if leaf[0] in "ip":
        return (leaf[1] & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    if leaf[0] == "x":
        return bytes.fromhex(leaf[1])
    raise ValueError(leaf)


def flat(leaf, size, base, data, mask):
    if leaf[0] == "s":
        for _, bit, bits, inner in leaf[1]:
            if bits % 8 or bit % 8:
                number = (inner[1] & ((1 << bits) - 1)) << (bit % 8)
                for i in range((bits + bit % 8 + 7) // 8):
                    data[base + bit // 8 + i] |= number >> 8 * i & 255
                    mask[base + bit // 8 + i] |= ((1 << bits) - 1) << (bit % 8) >> 8 * i & 255
            else:
                flat(inner, bits // 8, base + bit // 8, data, mask)
        return
    data[base : base + size] = leaf_bytes(leaf, size)
    mask[base : base + size] = b"\xff" * size


def same_bytes(leaf, size, word):
    """A struct that is shown as its bytes; padding may be anything."""
    if not word.startswith("x"):
        return False
    data, mask = bytearray(size), bytearray(size)
    flat(leaf, size, 0, data, mask)
    return masked(data, mask) == masked(bytes.fromhex(word[1:]), mask)


def same(gdb, value, kind, names, bias):
    """True, False, or None: gdb's reading does not tell."""
    if "to" in gdb and not isinstance(value, int):
        return same(gdb["to"], value, kind, names, bias)
    if "to" in gdb:
        inner = same(gdb["to"], value, kind, names, bias)
        return inner or value == gdb["p"] or value + 2**64 == gdb["p"]
    if "p" in gdb and gdb["p"] is not None and isinstance(value, int):
        return value & (2**64 - 1) == gdb["p"]
    if "text" in gdb and gdb["text"] is not None:
        raw, cut = bytes.fromhex(gdb["text"][0]), gdb["text"][1]
        if not (isinstance(value, str) and value.startswith("&")) or value == escaped(raw, cut):
            return isinstance(value, str) and value == escaped(raw, cut)
    if "p" in gdb:
        if not isinstance(value, str) or gdb["p"] is None:
            return None if gdb["p"] is None else False
        if gdb.get("symbol") == value:
            return True
        name, offset = re.fullmatch(r"&?(.*?)(?:\+(\d+))?", value).groups()
        places = {address + int(offset or 0) for address in names.get(name, ())}
        return gdb["p"] - bias in places or (False if places else None)
    leaf = gdb.get("leaf")
    if leaf is None:
        return None
    if leaf[0] == "f":
        size = gdb.get("size", 8)
        number = float.fromhex(leaf[1])
        return same_float(number, value if isinstance(value, (int, float)) else as_float(value), size)
    if leaf[0] == "l":
        return same_long(leaf[1], value)
    if leaf[0] in "ip":
        if isinstance(value, str):
            return value == str(leaf[1] if leaf[1] >= 0 or kind != "unsigned" else leaf[1] + 2**64)
        return value == leaf[1] or (isinstance(value, int) and (value - leaf[1]) % 2**64 == 0 and gdb.get("size") == 8)
    if isinstance(value, str) and value.startswith("x"):
        return same_bytes(leaf, gdb["size"], value)
    if isinstance(value, str) and value.startswith("{"):
        return same_leaf(leaf, parse_struct(value))
    return None


def names_of(program):
    names = collections.defaultdict(set)
    for option in ([], ["-C"]):
        for line in subprocess.run(["nm"] + option + [program], capture_output=True, text=True, check=False).stdout.splitlines():
            match = re.match(r"([0-9a-f]+) \S (.*)", line)
            if match:
                names[match.group(2)].add(int(match.group(1), 16))
                names[match.group(2).split("(")[0]].add(int(match.group(1), 16))
    return names


def compare(options, out, database):
    with open(out, encoding="utf-8") as lines:
        bias = json.loads(next(lines))["bias"]
        calls = [json.loads(line) for line in lines]
    names = names_of(options.program)
    db = sqlite3.connect(database)
    main = db.execute("SELECT id FROM modules WHERE path = ?", (os.path.realpath(options.program),)).fetchone()[0]
    functions = {address: number for number, address in
                 db.execute("SELECT id, address FROM functions WHERE module_id = ?", (main,))}
    parameters, kinds = collections.defaultdict(dict), {}
    for function, position, name, kind in db.execute("SELECT function_id, position, name, kind FROM parameters"):
        parameters[function][position] = name
        kinds[function, position] = kind
    # Static functions of headers, with a copy in each unit, are one function or several: a source has its addresses' functions.
    of_source = collections.defaultdict(dict)
    for call in calls:
        if call["f"] - bias in functions:
            of_source[json.dumps(call["source"])][call["f"]] = functions[call["f"] - bias]
    ids = {function: [] for found in of_source.values() for function in found.values()}
    frames = dict(db.execute("SELECT id, function_id FROM frames"))
    for number, frame in db.execute("SELECT id, frame_id FROM calls ORDER BY id"):
        of_function = ids.get(frames[frame])
        if of_function is not None and len(of_function) < options.each:
            of_function.append(number)
    tally = collections.Counter()
    per = collections.Counter()
    shown = 0
    examples = collections.OrderedDict()
    seen = set()
    for call in calls:
        found = of_source.get(json.dumps(call["source"]), {})
        one = len(set(found.values())) == 1
        function = found.get(call["f"]) if not one else next(iter(found.values()))
        at = call["n"] if one else call["own"]
        if function is None or at >= len(ids[function]):
            tally["calls not found"] += 1
            continue
        number = ids[function][at]
        seen.add(function)
        tally["calls"] += 1
        tally["inlined calls"] += call["inlined"]
        rows = dict(db.execute("SELECT id - ?, value FROM call_values WHERE id BETWEEN ? AND ?",
                               (number * 32, number * 32, number * 32 + 30)))
        pairs = []
        positions = parameters[function]
        given = [name for name, _ in call.get("args", ())]
        for name, value in call.get("args", ()):
            at = [position for position, other in positions.items() if other == name and position > 0]
            if len(at) == 1 and given.count(name) == 1:
                pairs.append((at[0], name, value))
            elif positions:
                tally["not matched by name"] += 1
        if call.get("result") is not None:
            pairs.append((0, "result", call["result"]))
        for position, name, value in pairs:
            got = rows.get(position)
            what = "result" if position == 0 else "inlined argument" if call["inlined"] else "argument"
            if "unknown" in value:
                state = "unverified" if got is not None else "unknown to both"
                if got is not None:
                    per["unverified: " + re.sub(r"0x[0-9a-f]+|\d+", "N", value["unknown"])] += 1
            elif got is None:
                state = "unknown to both" if "later" in value else "missing"
                examples.setdefault((call["name"], name, call["inlined"]), call["pc"] - bias)
            else:
                verdict = same(value, got, kinds.get((function, position)), names, bias)
                state = {True: "right", False: "WRONG", None: "unverified"}[verdict]
                if verdict is None:
                    per["unverified: shown otherwise: %s" % kinds.get((function, position))] += 1
                if verdict is False or (verdict is None and options.verbose):
                    shown += 1
                    if shown <= options.show:
                        print("%s: %s(%s), call %d of it (id %d), at %x%s: gdb %s, fisql %r" % (
                            state, call["name"], name, call["n"] + 1, number, call["pc"] - bias,
                            ", inlined" if call["inlined"] else "", json.dumps(value), got))
            tally[what, state] += 1
    print("%s: %d calls of %d functions (%d inlined)" % (options.title or os.path.basename(options.program), tally["calls"],
                                                         len(seen), tally["inlined calls"]))
    for what in ("argument", "inlined argument", "result"):
        counts = [(state, tally[what, state]) for state in ("right", "WRONG", "missing", "unverified", "unknown to both")]
        if any(count for _, count in counts):
            print("  %ss: %s" % (what, ", ".join("%d %s" % (count, state) for state, count in counts)))
    for key in ("calls not found", "not matched by name"):
        if tally[key]:
            print("  %d %s" % (tally[key], key))
    if options.verbose:
        for reason, count in per.most_common():
            print("  %d %s" % (count, reason))
        for (function, name, inlined), address in list(examples.items())[: options.show]:
            print("  missing: %s(%s) at %x%s" % (function, name, address, ", inlined" if inlined else ""))
    return sum(count for key, count in tally.items() if isinstance(key, tuple) and key[1] == "WRONG")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--each", type=int, default=200)
    parser.add_argument("--calls", type=int, default=12000)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--late", action="store_true", help="-O0: arguments are stored behind the hook's call (clang), or the entry (--as-is)")
    parser.add_argument("--after", action="store_true", help="what gdb does not know at the hook's call it reads behind it")
    parser.add_argument("--as-is", action="store_true", help="without hooks: gdb stops at the functions' first instructions")
    parser.add_argument("--cxx", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--stdin", default="/dev/null")
    parser.add_argument("--title")
    parser.add_argument("fisql")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    out, database = record(options, os.getcwd())
    sys.exit(1 if compare(options, out, database) else 0)


main()
