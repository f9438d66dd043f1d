"""Results of sqlite3_step() that nobody asks for: steps.py FILE...

An error must not be taken for the end of the rows. A function that steps a statement itself, without database_row(),
has to ask: a result that it keeps is compared with SQLITE_DONE, or the statement's database_rows_end(),
sqlite3_finalize() or sqlite3_reset() is asked. Prints FILE:LINE: FUNCTION where neither is there, and what is allowed
in vain."""
import re, sys

# Where others ask, or where all but a row is an error.
ALLOWED = {
    "cli/run/run_view.c: read_functions": "run_view_open() asks sqlite3_finalize()",
    "cli/run/run_view.c: read_frames": "run_view_open()",
    "cli/run/run_view.c: read_threads": "run_view_open()",
    "cli/query/worst.c: read_rows": "returns the result: ask() compares it",
    "cli/run/calls_by_value.c: next_outermost": "returns the result: calls_by_value_next() compares it",
    "cli/query/digest.c: prepare_row": "all but a row is an error",
    "loader/tables/tables_calls.c: tables_count_system_calls": "all but a row is an error",
    "loader/sqlite/database.c: put_off_indexes": "all but a row is an error",
}


def functions(text):
    """The line, the name and the body of each function."""
    for found in re.finditer(r"^[a-z][^;{}]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", text, re.M | re.S):
        yield text.count("\n", 0, found.start(2)), found.group(1), found.group(2)


def asks(code, statement):
    """Does the code ask for the result of the statement's end?"""
    end = r"sqlite3_(?:finalize|reset)\(%s\)" % re.escape(statement)
    return re.search(r"database_rows_end\(%s,|%s *(?:[!=]=|\?)|(?:=|return|check\([^;]*?) *%s" % (re.escape(statement), end, end), code)


used = set()
for path in sys.argv[1:]:
    for line, name, body in functions(open(path).read()):
        code = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        wrong = False
        for step in re.finditer(r"sqlite3_step\(([^()]*)\)(\)?)( *[!=]= *SQLITE_\w+)?", code):
            before = code[: step.start()].rstrip(" (")
            kept = re.search(r"[^=!<>]=$|[?:]$", before)
            told = kept and "SQLITE_DONE" in code or not kept and "SQLITE_DONE" in (step.group(3) or "")
            wrong |= not told and not asks(code, step.group(1))
        place = "%s: %s" % (path, name)
        if wrong and place in ALLOWED:
            used.add(place)
        elif wrong:
            print("%s:%d: %s" % (path, line, name))
for place in ALLOWED:
    if place.split(":")[0] in sys.argv and place not in used:
        print("%s: is allowed in vain" % place)
