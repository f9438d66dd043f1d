#!/usr/bin/env python3
"""Makes calls that fisql makes fail, one in each run (tests/tools/failing.c), and checks what is left.

self_faults.py FISQL LIBRARY FOLDER [--contexts | --all] [--every N] [--from K] [-j N] COMMAND...

COMMAND: load, again, query, push, add, review, picture, export. FOLDER holds run.bin, the log of a small program. Prints a line for each
experiment that went wrong, then one with their number. With --contexts (usual) one call of each calling context
of fisql's fails, with --all each call there is; --every N takes each N-th of these.

A run has to end with status 2 and an error that begins with `fisql: `, leaving the files as they were, or with
what it gives without the fault, or with status 1 and a word on what is missing.
"""
import argparse, concurrent.futures, difflib, itertools, os, shutil, sqlite3, subprocess, sys, tempfile

UNTOLD = ("not an error", "(null)", "Success", "unknown error")
# A library that crashes itself where one of its calls fails: 0.5 of Debian 12 releases a line context before it is
# whole, 2.1 of Debian 13 and later ones read a table of abbreviations that they got no memory for.
CRASHING = "/libdwarf.so"


class Command:
    """A command, the files that it starts from, and what it makes."""

    def __init__(self, words, makes, starts, whole):
        self.words, self.makes, self.starts, self.whole = words, makes, starts, whole


COMMANDS = {
    # Nothing is there before; a database is, which is to stay as it was.
    "load": Command(["load", "--threads", "1", "run.bin"], "run.db", [], None),
    "again": Command(["load", "--threads", "1", "-q", "run.bin"], "run.db", ["run.db"], None),
    "query": Command(["query", "hot-functions", "run.db"], None, ["run.db"], None),
    # A fleet that is new, and one that has another run: the other one is there afterwards, this one or not.
    "push": Command(["push", "fleet.db", "run.db"], "fleet.db", ["run.db"], "runs"),
    "add": Command(["push", "fleet.db", "run.db"], "fleet.db", ["run.db", "fleet.db"], "runs"),
    "review": Command(["review", "run.db", "-o", "review.md"], "review.md", ["run.db"], None),
    "picture": Command(["review", "run.db", "-o", "-", "--picture", "review.svg"], "review.svg", ["run.db"], None),
    "export": Command(["export", "--format", "speedscope", "run.db", "-o", "run.json"], "run.json", ["run.db"], None),
}


def dump(path):
    # Times of the push differ.
    text = subprocess.run(["sqlite3", path, ".dump"], capture_output=True, check=True).stdout
    return text


def pushed(path):
    """What a fleet holds, but for when it came; None where that contradicts itself."""
    connection = sqlite3.connect(path)
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
    tables = {}
    for name in names:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
        kept = [column for column in columns if not column.startswith("pushed")]
        rows = connection.execute(f"SELECT {', '.join(kept)} FROM {name}").fetchall() if kept else []
        tables[name] = sorted(map(repr, rows))
    sound = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    return tables if sound else None


def run(options, command, folder, more):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": folder, "LD_PRELOAD": options.library}
    environment.update(more)
    work = os.path.join(folder, "work")
    return subprocess.run([options.fisql, *command.words], cwd=work, env=environment, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=60)


def prepare(options, command, folder):
    work = os.path.join(folder, "work")
    os.mkdir(work)
    os.link(os.path.join(options.folder, "run.bin"), os.path.join(work, "run.bin"))
    for name in command.starts:
        shutil.copyfile(os.path.join(options.folder, name), os.path.join(work, name))
    return work


def content(command, path):
    if command.whole is not None:
        return pushed(path)
    with open(path, "rb") as file:
        return file.read()


def wrong(options, command, good, work, ended):
    """What is wrong with what a run left, or None."""
    words = ended.stderr.decode(errors="replace")
    if ended.returncode < 0:
        return f"ended by signal {-ended.returncode}"
    if ended.returncode not in (0, 1, 2):
        return f"status {ended.returncode}"
    files = set(os.listdir(work)) - {"run.bin", *command.starts}
    extra = files - {command.makes}
    if extra:
        return f"left {' '.join(sorted(extra))}"
    if ended.returncode != 0 and not any(line.startswith("fisql: ") and len(line) > 12 for line in words.splitlines()):
        return f"status {ended.returncode} without a word"
    if ended.returncode == 2 and any(untold in words for untold in UNTOLD):
        return f"an error that tells nothing: {words.strip()}"
    made = os.path.join(work, command.makes) if command.makes else None
    if ended.returncode == 2 and made is not None and os.path.exists(made):
        left = content(command, made)
        if command.whole is not None:
            if left is None:
                return "failed, and left a damaged file"
            # The other runs as they were, this one there or not; new ones may be without tables yet.
            if left == good["made"]:
                return None  # what came after it, such as adding up, failed
            if any(rows and rows != good["before"].get(name, []) for name, rows in left.items()
                   if not command.starts[1:] and name in ("runs", "contexts", "labels", "facts", "functions")):
                return "failed, and left rows"
            if command.starts[1:] and left != good["before"]:
                return "failed, and changed what was there"
        elif command.makes not in command.starts:
            # A review's page may fail after its picture is there, whole.
            return None if command.words[0] == "review" and left == good["made"] else "failed, and left " + command.makes
        elif left != good["before"]:
            return "failed, and changed " + command.makes
    if ended.returncode == 0 and ended.stdout != good["out"]:
        return "ended well, with other output"
    if ended.returncode == 0 and made is not None:
        if not os.path.exists(made):
            return "ended well, and made nothing"
        left = content(command, made)
        told = "its functions show as module+offset" in words
        if left != good["made"] and not told:
            other = (difference(left, good["made"]) if command.whole is not None or not made.endswith(".db")
                     else difference(dump(made), good["dump"]))
            if other is not None:
                return f"ended well, with another {command.makes}: {words.strip()}: {other}"
    return None


def difference(left, right):
    """The first lines that two dumps, or the rows that two fleets, do not have in common; None where they are alike."""
    if left == right:
        return None
    if not isinstance(left, bytes):
        return str([name for name in {*(left or {}), *right} if (left or {}).get(name) != right.get(name)])
    lines = difflib.unified_diff(*(text.decode(errors="replace").splitlines() for text in (right, left)), n=0, lineterm="")
    return " | ".join(line[:240] for line in itertools.islice(lines, 3, 9))


def crashed_itself(said):
    """Did the failing call come from the library, and is what crashed then, below the C library, its own code?

    It may have been in a child of fisql's, which fails its own N-th call; fisql's comes behind it."""
    failed, _, crash = said.partition("crashed\n")
    return crash != "" and all(innermost(part).find(CRASHING) >= 0 for part in (failed, crash))


def innermost(backtrace):
    """The line of a backtrace that is the innermost of neither the C library nor failing.so."""
    frames = (line for line in backtrace.splitlines() if "/" in line)
    return next((line for line in frames if "/failing.so" not in line and "/libc.so" not in line), "")


def experiment(options, command, good, number):
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        work = prepare(options, command, folder)
        said = os.path.join(folder, "said")
        try:
            ended = run(options, command, folder, {"FAILING_AT": str(number), "FAILING_SAID": said})
            problem, status = wrong(options, command, good, work, ended), ended.returncode
            words = ended.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            problem, status, words = "hangs", None, ""
        except (sqlite3.Error, subprocess.CalledProcessError) as error:
            problem, status, words = f"left a damaged file: {error}", None, ""
        where = open(said, encoding="utf-8", errors="replace").read() if os.path.exists(said) else None
        if where is None and problem is None:
            status = "not reached"  # addresses and times differ, and with them how many calls there are
        elif status is not None and crashed_itself(where or "") and (
                status < 0 or problem is not None and "'damaged debug information'" in problem):
            # Of fisql, or of its child that tries the debug information first: that counts as damaged then.
            problem, status = None, "crash of a library"
        return number, problem, status, where, words


def chosen(options, calls):
    if options.all:
        numbers = list(range(1, len(calls) + 1))
    else:
        first = {}
        for number, call in enumerate(calls, 1):
            first.setdefault(call, number)
        numbers = sorted(first.values())
    return numbers[options.start :: options.every]


def campaign(options, name):
    command, good = COMMANDS[name], {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        work = prepare(options, command, folder)
        made = os.path.join(work, command.makes) if command.makes else None
        if made is not None:
            good["before"] = content(command, made) if os.path.exists(made) else {}
        listed = os.path.join(folder, "list")
        ended = run(options, command, folder, {"FAILING_LIST": listed})
        if ended.returncode != 0:
            sys.exit(f"{name}: cannot be done without a fault: {ended.stderr.decode()}")
        good["out"] = ended.stdout
        if made is not None:
            good["made"] = content(command, made)
            good["dump"] = dump(made) if made.endswith(".db") else b""
        with open(listed, encoding="ascii") as file:
            calls = file.read().splitlines()
    numbers = chosen(options, calls)
    counts, problems = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, problem, status, where, words in pool.map(
                lambda number: experiment(options, command, good, number), numbers):
            counts[status] = counts.get(status, 0) + 1
            if options.words:
                print(f"{name} {number}: {status}: {(where or '-').splitlines()[0]}: {words.strip()}")
            if problem is not None:
                problems += 1
                place = (where or "").strip().replace("\n", " ") if options.verbose else (where or "-").split("\n")[0]
                print(f"{name} {number}: {place}: {problem}")
    told = ", ".join(f"{count} {'with status ' * isinstance(status, int)}{status}" for status, count in sorted(counts.items(), key=repr))
    print(f"{name}: {len(numbers)} of {len(calls)} calls failed: {told}; {problems} wrong", flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fisql")
    parser.add_argument("library")
    parser.add_argument("folder")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--contexts", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", dest="start", type=int, default=0)
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--words", action="store_true")
    parser.add_argument("commands", nargs="+", choices=list(COMMANDS))
    options = parser.parse_args()
    options.fisql, options.library = os.path.abspath(options.fisql), os.path.abspath(options.library)
    options.folder = os.path.abspath(options.folder)
    sys.exit(1 if sum([campaign(options, name) for name in options.commands]) else 0)


main()
