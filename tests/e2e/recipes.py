"""Compares the calls of a recorded program, as the view call_text shows them, with the expected ones.

    recipes.py EXPECTED ACTUAL [update]

A value may be missing ("?") where it is not located, but it may never be another one. Addresses differ from
run to run. Prints what differs, then "N located, M missing".
"""
import re
import sys


def normal(line):
    line = re.sub(r"0x[0-9a-f]+|&[A-Za-z_]\w*(\+\d+)?", "ADDRESS", line)
    line = re.sub(r"x[0-9a-f]{40,}", "BYTES", line)
    line = line.replace("rest=", "")  # gcc names the pack, clang each parameter of it
    return re.sub(r"\bc=x[0-9a-f]{16}0{16}", "c=BYTES", line)


def by_function(path):
    calls = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = normal(line.rstrip("\n"))
            calls.setdefault(re.match(r"[^(]*(\([^()]*\)\()?", line).group(0), []).append(line)
    return calls


def pattern_of(line):
    """What an expected line must match: each missing value may be any."""
    text = re.escape(line)
    text = re.sub(r"(=|,\\ )\\\?(?=,|\\\)|$)", r"\1.*?", text)
    return re.sub(r"(?<=\\ =\\ )\\\?$", ".*", text)


def main():
    if len(sys.argv) > 3:
        with open(sys.argv[2], encoding="utf-8") as lines, open(sys.argv[1], "w", encoding="utf-8") as out:
            out.writelines(normal(line.rstrip("\n")) + "\n" for line in lines)
    expected, actual = by_function(sys.argv[1]), by_function(sys.argv[2])
    located = missing = 0
    for name, lines in expected.items():
        got = actual.get(name, [])
        if len(got) != len(lines):
            # Variants of constructors and destructors call one another or are one, as the compiler likes.
            if "~" not in name and not re.match(r"(\w+)::\1\b", name):
                print(f"{name}: {len(got)} calls, expected {len(lines)}")
            continue
        for want, have in zip(lines, got):
            unknown = len(re.findall(r"[=(,]\s?\?(?=,|\)|$)", have))
            missing += unknown - len(re.findall(r"[=(,]\s?\?(?=,|\)|$)", want))
            located += len(re.findall(r"\w=|\) = ", have)) - unknown
            if have == name.rstrip("("):
                continue  # nothing is known of this call
            if not re.fullmatch(pattern_of(have), want):
                print(f"expected {want}\n     got {have}")
    print(f"{located} located, {missing} missing")


main()
