#!/usr/bin/env python3
"""Compares how often the functions of a program were called: recorded as it is, and seen by callgrind.

usage: any_counts.py PROGRAM CALLGRIND.out RUN.db [NAME=CALLS | NAME=- | NAME=unhooked]...

Functions go by their address. Copies that fisql keeps as one function count together: clones (NAME.constprop.0),
copies of one name in several units, symbols of one address. callgrind has to be run
with --dump-instr=yes --compress-pos=no. NAME=CALLS says what callgrind cannot see (handlers of signals have no
caller there) or counts otherwise, NAME=- leaves a function out, NAME=unhooked says that it is called and not
recorded. Where fisql says why it has not patched a function, the disassembly has to agree. Prints the differences, and
at the end `N functions, M calls` that are equal.

What callgrind counts as a call that is none, and the other way round:
- A jump to the first instruction of another symbol, a tail call, is a call to both.
- Not so where the function has already been entered by its slot: a jump to its own beginning is a loop to fisql.
- Where code runs from one function into the next, callgrind sees no call; fisql does.
- A jump into NAME.cold is a call to callgrind: it has a symbol and is no function, so it is left out here. fisql has to leave it alone.
- What Rust's locks call where another thread holds them depends on which thread comes first: it is left out.
- _start has no caller. _init and _fini are no functions, and frame_dummy and its like have no unwind information.
"""
import collections
import re
import sqlite3
import subprocess
import sys

NOT_FUNCTIONS = {"_start", "_init", "_fini", "_dl_relocate_static_pie"}
COLD = re.compile(r"\.cold(\.\d+)?$")
CONTENDED = re.compile(r"4sync.*futex.*(_contended|4wake|4spin|spin_(until|read|write))")
CLONE = re.compile(r"(\.(constprop|isra|part|lto_priv|llvm)\.\d+)+$")


def symbols_of(program):
    """Names by address, and the same by name."""
    by_address = collections.defaultdict(list)
    for line in subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] in ("FUNC", "IFUNC") and words[6] != "UND":
            name = words[7].split("@")[0]
            if name not in by_address[int(words[1], 16)]:
                by_address[int(words[1], 16)].append(name)
    return by_address


def callgrind_counts(path, program):
    """Calls by the address that was called, of calls into the program itself."""
    counts, objects = collections.Counter(), {}
    own, called = None, None

    def object_of(text):
        number, _, name = text.strip().partition(" ")
        if name:
            objects[number] = name
        return objects.get(number, number)

    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                own = object_of(value)
            elif key == "cob":
                called = object_of(value)
            elif key == "calls":
                number, address = value.split()[:2]
                if (called or own).rsplit("/", 1)[-1] == program.rsplit("/", 1)[-1]:
                    counts[int(address, 16)] += int(number)
                called = None
    return counts


JUMP = 5


class Code:
    """What the disassembly says of why functions are not patched."""

    def __init__(self, program, names):
        self.starts = sorted(names)
        self.code, self.targets = {}, set()
        text = subprocess.run(["objdump", "-d", "-w", "--no-show-raw-insn", program], capture_output=True, text=True, check=True)
        for line in text.stdout.splitlines():
            found = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
            if not found:
                continue
            self.code[int(found[1], 16)] = found[2]
            target = re.match(r"(bnd |notrack )*(j|loop|xbegin)\w*(,p[nt])?\s+([0-9a-f]+)", found[2])
            if target:
                self.targets.add(int(target[4], 16))

    def agrees(self, address, reason):
        """Is this why a function at this address cannot be patched?"""
        within = range(address + 1, address + JUMP)
        if reason == "too short for a jump":
            return any(other in within for other in self.starts)
        if reason == "jumped into where the jump would lie":
            return any(target in within for target in self.targets)
        if reason == "its first instructions cannot be moved":
            return any(self.code.get(place, "").startswith("call   *") for place in range(address, address + JUMP))
        return False


def groups_of(addresses, names):
    """Addresses whose symbols have one name, but for the marks of clones."""
    groups, group_of = {}, {}
    for address in sorted(addresses):
        group = {address}
        for name in names.get(address, []):
            base = CLONE.sub("", name)
            group |= groups.get(group_of.get(base), set())
        first = min(group)
        for member in group:
            for name in names.get(member, []):
                group_of[CLONE.sub("", name)] = first
        for member in group:
            groups.pop(member, None)
        groups[first] = group
    return [groups[first] for first in sorted(groups)]


def main():
    program, callgrind, database = sys.argv[1:4]
    said = dict(argument.rsplit("=", 1) for argument in sys.argv[4:])
    names, seen = symbols_of(program), callgrind_counts(callgrind, program)
    db = sqlite3.connect(database)
    module = program.rsplit("/", 1)[-1]
    recorded = dict(db.execute("""SELECT f.address, sum(fr.calls) FROM frames fr JOIN functions f ON f.id = fr.function_id
        JOIN modules m ON m.id = f.module_id WHERE m.name = ? GROUP BY f.address""", (module,)))
    unhooked = dict(db.execute("""SELECT f.address, f.not_hooked FROM functions f JOIN modules m ON m.id = f.module_id
        WHERE m.name = ? AND f.not_hooked IS NOT NULL""", (module,)))
    same = calls = 0
    code = Code(program, names)
    for group in groups_of(set(names) | set(recorded), names):
        here = sorted({name for address in group for name in names.get(address, [f"{address:#x}"])})
        shown = "/".join(here[:3]) + ("/..." if len(here) > 3 else "")
        expected, actual = sum(seen.get(a, 0) for a in group), sum(recorded.get(a, 0) for a in group)
        left = [unhooked[address] for address in group if address in unhooked]
        wanted = next((said[name] for name in here if name in said), None)
        if wanted == "-" or (wanted is None and any(CONTENDED.search(name) for name in here)):
            continue
        if wanted == "unhooked":
            if actual or not left:
                print(f"{shown}: expected to be not hooked: {actual} calls, {left}")
            continue
        if wanted is not None:
            expected = int(wanted)
        elif NOT_FUNCTIONS & set(here) or all(COLD.search(name) for name in here):
            expected = 0
        rest = sum(seen.get(a, 0) for a in group if a in unhooked and code.agrees(a, unhooked[a]))
        if expected != actual and expected - rest != actual:
            print(f"{shown}: callgrind {expected}, fisql {actual}" + (f" (not hooked: {left})" if left else ""))
        elif actual:
            same += len(group)
            calls += actual
    print(f"{same} functions, {calls} calls")


main()
