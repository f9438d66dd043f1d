"""Runs in gdb: attaches to a program that waits at its gate (start.c), reads the arguments of calls at their
entry hooks and the results at the functions' returns as gdb's own reading of the debug information has
them, and writes a line of JSON for each call. Nothing here knows of fisql's recipes.

    ORACLE='{"pid": ..., "gate": ..., "sites": ..., "out": ..., "each": 200, "calls": 12000, "late": false}'

With "as_is" there are no hooks: it stops at the functions' first instructions, and with "late" reads behind their prologues.

sites is a file with lines `enter ADDRESS`, `return ADDRESS`: addresses of call instructions and of `ret` in the
program's file. Of each function the first `each` calls are read, and no more than `calls` in all.
"""
import json
import os
import re
import struct
import zlib

import gdb

CONFIG = json.loads(os.environ["ORACLE"])
TEXT_MAX = 64
CODES = {getattr(gdb, name): name[10:] for name in dir(gdb) if name.startswith("TYPE_CODE_")}


class Unknown(Exception):
    """gdb does not know a value either; its text says why."""


# ---- values ----


def bare(of):
    return of.strip_typedefs().unqualified().strip_typedefs()


def code_of(of):
    return CODES.get(of.code, "?")


def memory(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def text_at(address):
    """What a char * leads to: up to TEXT_MAX bytes, and whether there is more. None = unreadable."""
    found = b""
    while len(found) <= TEXT_MAX:
        # a page may be the last one
        step = min(TEXT_MAX + 1 - len(found), 64 - (address + len(found)) % 64)
        try:
            found += memory(address + len(found), step)
        except gdb.error:
            return None
        if b"\0" in found:
            return [found[: found.index(b"\0")].hex(), False]
    return [found[:TEXT_MAX].hex(), True]


def text_of(address, length):
    try:
        return [memory(address, min(length, TEXT_MAX)).hex() if length else "", length > TEXT_MAX]
    except (gdb.error, OverflowError):
        return None


def integer(value, of):
    if of.sizeof <= 8:
        return int(value)
    number = int(value.format_string(format="z"), 16)
    signed = bool(getattr(of, "is_signed", True))
    return number - (1 << 8 * of.sizeof) if signed and number >> (8 * of.sizeof - 1) else number


def pack(number, size, kind):
    if kind == "f":
        return struct.pack("<f" if size == 4 else "<d", number)
    return (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def complex_bytes(value, of):
    size = of.sizeof // 2
    match = re.fullmatch(r"(\S+) \+ (\S+)i", value.format_string())
    if not match or size > 8:
        raise Unknown("a complex number")
    return b"".join(pack(float(part), size, "f") for part in match.groups())


def read_enum(value, of):
    number = int(value)
    return ["i", number, {field.name.split("::")[-1]: field.enumval for field in of.fields()}]


def string_of(value, of):
    """std::string and std::string_view, of libstdc++ with either ABI and of libc++: where the text lies and how long."""
    name = of.name or ""
    if re.match(r"std::(__cxx11::|__1::)?basic_string<char\b", name):
        if value.address is None:
            return [int(value["_M_dataplus"]["_M_p"]), int(value["_M_string_length"])]
        raw = memory(int(value.address), 24 if "std::__1::" in name else 16 if "__cxx11" in name else 8)
        words = [int.from_bytes(raw[i : i + 8], "little") for i in range(0, len(raw), 8)]
        if len(words) == 3:
            return [words[2], words[1]] if raw[0] & 1 else [int(value.address) + 1, raw[0] >> 1]
        return words if len(words) == 2 else [words[0], int.from_bytes(memory(words[0] - 24, 8), "little")]
    if re.match(r"std::(__1::)?basic_string_view<char\b", name):
        if "std::__1::" in name:
            first, second = (int(value[field]) for field in of.fields()[:2])
            return [first, second]
        return [int(value["_M_str"]), int(value["_M_len"])]
    return None


def bytes_at(value, of):
    if value.address is None:
        raise Unknown("not in memory")
    return memory(int(value.address), of.sizeof)


def members_of(of):
    """Leaves of a struct in order of their place: (path of fields, name, type, bit, bits of a bit field)."""
    for field in of.fields():
        if not hasattr(field, "bitpos") or (field.artificial and not field.is_base_class):
            continue
        yield field


def read_struct(value, of):
    """["s", [[name, bit offset, bits, leaf], ...]]: members in order; members of bases among them."""
    leaves = []
    for field in members_of(of):
        kind = bare(field.type)
        if code_of(kind) == "STRUCT" and kind.sizeof == 1 and not any(members_of(kind)):
            continue
        inner = value[field]
        if field.is_base_class:
            for name, bit, bits, leaf in read_struct(inner, kind)[1]:
                leaves.append([name, bit + field.bitpos, bits, leaf])
            continue
        elements = [("", 0, inner, kind)]
        if code_of(kind) == "ARRAY":
            low, high = kind.range()
            item = bare(kind.target())
            elements = [("[%d]" % i, 8 * item.sizeof * i, inner[low + i], item) for i in range(high - low + 1)]
        for suffix, offset, element, of_element in elements:
            if not field.name and code_of(of_element) in ("STRUCT", "UNION"):
                leaves += [[name, bit + field.bitpos, bits, leaf] for name, bit, bits, leaf in read_struct(element, of_element)[1]]
            else:
                leaves.append([(field.name or "") + suffix, field.bitpos + offset, field.bitsize or 8 * of_element.sizeof,
                               read_leaf(element, of_element)])
    return ["s", leaves, of.sizeof]


def read_leaf(value, of):
    code = code_of(of)
    if value.is_optimized_out:
        raise Unknown("optimised out")
    if code in ("INT", "CHAR", "BOOL"):
        return ["i", integer(value, of), []]
    if code == "ENUM":
        return read_enum(value, of)
    if code == "FLT":
        if of.sizeof <= 8:
            return ["f", float(value).hex()]
        return ["l", value.format_string()]
    if code in ("PTR", "REF", "RVALUE_REF"):
        return ["p", int(value if code == "PTR" else value.referenced_value().address)]
    if code in ("STRUCT", "UNION"):
        return read_struct(value, of)
    if code == "ARRAY":
        return ["x", array_bytes(value, of).hex()]
    if code == "COMPLEX":
        return ["x", complex_bytes(value, of).hex()]
    if code == "MEMBERPTR":
        return ["i", int(value), []]
    raise Unknown("of a type that the oracle does not read: " + code)


def array_bytes(value, of):
    if value.address is not None:
        return bytes_at(value, of)
    raise Unknown("an array that is not in memory")


SYMBOLS = {}


def symbol_at(address):
    if address not in SYMBOLS:
        text = gdb.execute("info symbol 0x%x" % address, to_string=True)
        SYMBOLS[address] = text.split(" in section")[0] if " in section" in text else ""
    return SYMBOLS[address]


def read_pointer(value, of):
    address = int(value) & 0xFFFFFFFFFFFFFFFF
    target = bare(of.target())
    found = {"p": address}
    if target.sizeof == 1 and code_of(target) in ("INT", "CHAR"):
        found["text"] = text_at(address) if address else None
    name = target.name or ""
    if code_of(target) == "STRUCT" and address and name.startswith("std::"):
        try:
            place = string_of(value.dereference(), target)
        except (gdb.error, Unknown):
            place = None
        if place is not None:
            found["text"] = text_of(*place)
    elif is_in_code(address):
        found["symbol"] = symbol_at(address)
    return found


def read(value, of):
    """A value as JSON: what it is, in each way in which it may be shown."""
    if value.is_optimized_out:
        raise Unknown("optimised out")
    code = code_of(of)
    if code == "PTR":
        return read_pointer(value, of)
    if code in ("REF", "RVALUE_REF"):
        referred = value.referenced_value()
        address = int(referred.address)
        found = {"p": address}
        if is_in_code(address):
            found["symbol"] = symbol_at(address)
        try:
            found["to"] = read(referred, bare(of.target()))
        except (gdb.error, Unknown, OverflowError):
            pass
        return found
    if code == "STRUCT":
        place = string_of(value, of)
        if place is not None:
            return {"text": text_of(*place)}
    if code == "ARRAY":
        return {"p": int(value.address)}
    return {"leaf": read_leaf(value, of), "size": of.sizeof}


# ---- results, as the System V ABI of x86-64 returns them ----


def classes(of, base, eight):
    """The class of each eight bytes: I, S (SSE) or X (x87); False where that is not known."""
    of = bare(of)
    code = code_of(of)
    if code in ("INT", "CHAR", "BOOL", "ENUM", "PTR", "REF", "RVALUE_REF", "MEMBERPTR"):
        for i in range(max(1, of.sizeof // 8)):
            eight[base // 8 + i] = "I"
    elif code == "FLT" and of.sizeof <= 8:
        eight[base // 8] = eight.get(base // 8, "S")
    elif code == "FLT":
        eight[base // 8] = eight[base // 8 + 1] = "X"
    elif code == "COMPLEX":
        for i in range(0, of.sizeof, 4):
            eight[(base + i) // 8] = eight.get((base + i) // 8, "S")
    elif code == "ARRAY":
        low, high = of.range()
        return all(classes(of.target(), base + i * bare(of.target()).sizeof, eight) for i in range(high - low + 1))
    elif code in ("STRUCT", "UNION"):
        return all(classes(field.type, base + getattr(field, "bitpos", 0) // 8, eight) for field in members_of(of))
    else:
        return False
    return True


TRIVIAL = {}


def is_trivial(of):
    """May a C++ class be returned in registers? None where the debug information does not say."""
    of = bare(of)
    if code_of(of) not in ("STRUCT", "UNION"):
        return True
    if str(of) not in TRIVIAL:
        special = gdb.execute("ptype %s" % of.name, to_string=True).splitlines() if of.name else []
        short = re.escape(re.sub(r"<.*>$", "", of.name or "").split("::")[-1])
        known = bool(of.name) and not any(
            re.match(r"(virtual )?~%s|%s\(.*\b%s\b.*&\)|virtual" % (short, short, short), line.strip())
            for line in special)
        TRIVIAL[str(of)] = known and all(is_trivial(field.type) for field in members_of(of))
    return TRIVIAL[str(of)]


def from_bytes(raw, of):
    return gdb.Value(raw[: of.sizeof], of)


def register(frame, name):
    return int(frame.read_register(name)) & 0xFFFFFFFFFFFFFFFF


def vector(frame, name):
    lanes = frame.read_register(name)["v2_int64"]
    return b"".join((int(lanes[i]) & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little") for i in range(2))


def result(frame, of):
    code = code_of(of)
    if code == "VOID":
        return None
    if code == "FLT" and of.sizeof > 8:
        return {"leaf": ["l", frame.read_register("st0").format_string()], "size": of.sizeof}
    eight = {}
    if code in ("STRUCT", "UNION") and of.sizeof <= 16 and CONFIG["cxx"] and not is_trivial(of):
        raise Unknown("a class that may come back in memory")
    known = of.sizeof <= 16 or code in ("STRUCT", "UNION")
    if not known or not classes(of, 0, eight):
        raise Unknown("a result of a type that the oracle does not read: " + code)
    if of.sizeof > 16 or "X" in eight.values():
        pointed = gdb.Value(register(frame, "rax")).cast(of.pointer()).dereference()
        return read(pointed, of)
    raw, general, vectors = b"", ["rax", "rdx"], ["xmm0", "xmm1"]
    for i in range((of.sizeof + 7) // 8):
        if eight.get(i) == "I":
            raw += register(frame, general.pop(0)).to_bytes(8, "little")
        elif eight.get(i) == "S":
            raw += vector(frame, vectors.pop(0))[:8]
        else:
            raw += bytes(8)
    return read(from_bytes(raw, of), of)


# ---- calls ----


class Run:
    def __init__(self):
        self.functions = {}  # where it is written -> Function
        self.copies = {}  # address -> calls of this copy, less one
        self.pending = {}  # canonical frame address -> call
        self.written = 0
        self.unwanted = []  # breakpoints that have nothing more to tell
        self.out = open(CONFIG["out"], "w", encoding="utf-8")
        self.finished = False
        self.last = None  # clang without optimisation: the call whose arguments are still to be read

    def write(self, call):
        self.out.write(json.dumps(call) + "\n")


RUN = Run()


class Function:
    def __init__(self):
        self.calls = 0


def function_block(pc):
    """The innermost block at an address that is a function's, inlined or not."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return block


def around(block):
    """Is this an inlined body?"""
    block = block.superblock
    while block is not None and block.function is None:
        block = block.superblock
    return block is not None


def arguments_of(block):
    return [(symbol.name, symbol, bare(symbol.type)) for symbol in block if symbol.is_argument]


def try_read(reader, *arguments):
    try:
        return reader(*arguments)
    except Unknown as reason:
        return {"unknown": str(reason)}
    except (gdb.error, RuntimeError, OverflowError, ValueError) as error:
        return {"unknown": str(error)}


def read_symbol(symbol, of, frame):
    return read(symbol.value(frame), of)


def written_at(symbol):
    """A header is one file, whichever way its includers name it."""
    return (symbol.name, os.path.normpath(symbol.symtab.filename), symbol.line) if symbol is not None else None


SOURCES = {}


def source_of(address):
    """Where the function is written that lies there: a static one of a header has a copy in each unit, but is one to fisql."""
    if address not in SOURCES:
        block = gdb.block_for_pc(address)
        while block is not None and (block.function is None or around(block)):
            block = block.superblock
        SOURCES[address] = written_at(block.function if block is not None else None) or ("?", "", address)
    return SOURCES[address]


class Place(gdb.Breakpoint):
    """A breakpoint that is taken out when it has told nothing for a while: that costs as much as many stops."""

    def __init__(self, address):
        super().__init__("*0x%x" % address, internal=True)
        self.silent = True
        self.vain = 0

    def in_vain(self):
        self.vain += 1
        if self.vain == 200:
            RUN.unwanted.append(self)
        return self.vain >= 200 or RUN.finished


def unsure_at(address):
    """Arguments that the debug information places relative to the stack pointer as it is behind the function's first
    instructions, and those of which clang gives the part that is used for the whole."""
    try:
        scope = gdb.execute("info scope *0x%x" % address, to_string=True)
    except gdb.error:  # it does not know all operations
        return set()
    return {symbol.split(" ", 1)[0] for symbol in re.split(r"^(?:Scope for .*:\n)?Symbol ", scope, flags=re.M)
            if "frame base reg $rsp" in symbol or "DW_OP_convert" in symbol
            or re.search(r"is a variable in \$r\w+, length 16", symbol)}


class Enter(Place):
    def __init__(self, address):
        super().__init__(address)
        self.arguments = None
        self.unsure = unsure_at(address) if CONFIG["as_is"] and not CONFIG["late"] else set()

    def look(self, frame):
        block = function_block(frame.pc())
        symbol = block.function if block is not None else None
        self.inlined = block is not None and around(block)
        self.arguments = arguments_of(block) if block is not None else []
        self.name = symbol.name if symbol is not None else "?"

    def stop(self):
        frame = gdb.newest_frame()
        if self.arguments is None:
            self.look(frame)
        address = frame.pc() if CONFIG["as_is"] else register(frame, "rdi")
        source = source_of(address)
        function = RUN.functions.setdefault(source, Function())
        if function.calls >= CONFIG["each"] or RUN.finished:
            # a call that ended with a jump is still pending there: this one's return is not its
            if CONFIG["as_is"] and register(frame, "rsp") + 8 in RUN.pending:
                RUN.write(RUN.pending.pop(register(frame, "rsp") + 8))
            return self.in_vain()
        own = RUN.copies[address] = RUN.copies.get(address, -1) + 1
        call = {"f": address, "source": source, "n": function.calls, "own": own, "name": self.name, "inlined": self.inlined, "pc": frame.pc()}
        function.calls += 1
        # Of an inlined body that the debug information gives no place gdb takes the hook's call for its host's.
        arguments = self.arguments if self.name == source[0] else []
        if CONFIG["as_is"] and not CONFIG["late"]:
            arguments = [argument for argument in arguments if argument[0] not in self.unsure]
        if CONFIG["late"] or CONFIG["after"]:
            RUN.last = (call, arguments)
        if not CONFIG["late"]:
            call["args"] = [[name, try_read(read_symbol, symbol, of, frame)] for name, symbol, of in arguments]
        if self.inlined:
            if RUN.last is None:
                RUN.write(call)
        else:
            older = frame.older()
            while older is not None and older.type() == gdb.INLINE_FRAME:
                older = older.older()
            if older is not None and frame.type() == gdb.INLINE_FRAME:
                older = None
            if older is not None:
                stack = register(older, "rsp")
                if stack in RUN.pending:
                    RUN.write(RUN.pending.pop(stack))
                if self.name == source[0]:
                    RUN.pending[stack] = call
            elif RUN.last is None:
                RUN.write(call)
        RUN.written += 1
        if RUN.written >= CONFIG["calls"]:
            RUN.finished = True
        return False


class Late(Place):
    """Behind an entry hook: where clang without optimisation has stored the parameters to where it says that they lie, or
    where the hook returns to. clang says only there where parameters of inlined bodies lie; of those that may change by then it
    is not sure to be what was passed, but fisql does not take them."""

    def stop(self):
        if RUN.last is None:
            return False
        frame = gdb.newest_frame()
        call, arguments = RUN.last
        RUN.last = None
        before = call.get("args")
        call["args"] = [[name, try_read(read_symbol, symbol, of, frame)] for name, symbol, of in arguments]
        for i, (name, value) in enumerate(before or ()):
            if "unknown" not in value:
                call["args"][i] = [name, value]
            elif "unknown" not in call["args"][i][1]:
                call["args"][i][1]["later"] = True
        if call["inlined"]:
            RUN.write(call)
        return False


class Return(Place):
    def __init__(self, address):
        super().__init__(address)
        self.of = None
        self.name = None

    def stop(self):
        frame = gdb.newest_frame()
        call = RUN.pending.get(register(frame, "rsp") + 8)
        if self.of is None:
            block = function_block(frame.pc())
            while block is not None and around(block):
                block = block.superblock
                while block is not None and block.function is None:
                    block = block.superblock
            self.name = block.function.name if block is not None else "?"
            self.start = block.start if block is not None else 0
            self.of = bare(block.function.type.target()) if block is not None else None
        if call is None or call["name"] != self.name:
            return self.in_vain()
        self.vain = 0
        del RUN.pending[register(frame, "rsp") + 8]
        call["result"] = try_read(result, frame, self.of)
        RUN.write(call)
        return False


def maps(pid, program):
    """Where the program lies, and all code."""
    bias, code = None, []
    with open("/proc/%d/maps" % pid, encoding="utf-8") as lines:
        for line in lines:
            fields = line.split(None, 5)
            start, end = (int(number, 16) for number in fields[0].split("-"))
            if len(fields) > 5 and fields[5].strip() == program and bias is None and int(fields[2], 16) == 0:
                bias = start
            if "x" in fields[1]:
                code.append((start, end))
    return bias, code


CODE = []


def is_in_code(address):
    return any(start <= address < end for start, end in CODE)


def late_places(address, linetable):
    """The first row behind the hook's call that is another line's: the arguments are stored by then."""
    rows = linetable
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if rows[middle][0] < address:
            low = middle + 1
        else:
            high = middle
    line = rows[low - 1][1] if low else 0
    while low < len(rows) and rows[low][1] in (line, 0):
        low += 1
    return rows[low][0] if low < len(rows) else None


def second_row(address, linetable):
    """Where a function's prologue ends, of code without optimisation."""
    return next((pc for pc, _ in linetable if pc > address), None)


SITES_MAX = 3000  # with more breakpoints gdb takes too long for each stop


def chosen(sites):
    """All places, or those of some functions: all calls of one must be seen. The debug information does not place every
    inlined body: its calls seem to be of its host, but the code before them names the function."""
    if len(sites) <= SITES_MAX:
        return [(kind, address) for kind, address, _ in sites]
    share = len(sites) // SITES_MAX + 1
    found = []
    for kind, address, name in sites:
        block = None if name else function_block(address)
        name = name or (block.function.name if block is not None else "")
        if name and zlib.crc32(name.encode()) % share == 0:
            found.append((kind, address))
    return found


def main():
    for setting in ("pagination off", "confirm off", "breakpoint always-inserted on", "print inferior-events off",
                    "max-value-size unlimited", "print repeats unlimited", "backtrace past-main on"):
        gdb.execute("set " + setting)
    gdb.execute("file " + CONFIG["program"], to_string=True)
    gdb.execute("attach %d" % CONFIG["pid"], to_string=True)
    for setting in ("SIGPIPE", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "SIGWINCH"):
        gdb.execute("handle %s nostop noprint pass" % setting, to_string=True)
    bias, code = maps(CONFIG["pid"], CONFIG["program"])
    CODE.extend(code)
    with open(CONFIG["sites"], encoding="utf-8") as lines:
        sites = [(line.split() + [""])[:3] for line in lines]
    position = bias if CONFIG["pie"] else 0
    RUN.out.write(json.dumps({"bias": position}) + "\n")
    tables = {}
    sites = [(kind, int(address, 16) + position, name) for kind, address, name in sites]
    gdb.execute("set breakpoint always-inserted off")
    for kind, address in chosen(sites):
        if kind == "enter":
            Enter(address)
            if CONFIG["after"]:
                Late(address + 5)
            if CONFIG["late"]:
                found = gdb.find_pc_line(address)
                if found.symtab is not None:
                    name = found.symtab.filename
                    if name not in tables:
                        tables[name] = sorted((item.pc, item.line) for item in found.symtab.linetable())
                    place = (second_row if CONFIG["as_is"] else late_places)(address if CONFIG["as_is"] else address + 5, tables[name])
                    if place is not None:
                        Late(place)
        else:
            Return(address)
    gdb.execute("set breakpoint always-inserted on")
    gate = os.open(CONFIG["gate"], os.O_RDWR)  # attaching has interrupted the program's open(): it goes on when it runs
    os.write(gate, b"x")
    while gdb.selected_inferior().pid != 0:
        gdb.execute("continue", to_string=True)
        for breakpoint in RUN.unwanted:
            breakpoint.enabled = False
        RUN.unwanted.clear()
        if RUN.finished and not RUN.last:
            break
    for call in RUN.pending.values():
        if "args" in call:
            RUN.write(call)
    RUN.out.close()
    if gdb.selected_inferior().pid != 0:
        for breakpoint in gdb.breakpoints():
            breakpoint.delete()
        gdb.execute("detach", to_string=True)


try:
    main()
except Exception as error:  # the shell script shows it
    import traceback

    traceback.print_exc()
    gdb.execute("quit 1")
