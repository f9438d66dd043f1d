"""Compares a database with independent ways of counting; prints ok / not ok lines.

    oracles.py callgrind DB CALLGRIND.OUT    direct calls between functions equal callgrind's edges
    oracles.py calls DB                      outliers, recursion and deep-stacks equal what the rows of
                                             calls give, in exact arithmetic
    oracles.py totals DB                     total and self times, extremes and instants of frames, functions,
                                             edges and threads, and the sequences of callees, likewise
    oracles.py peak DB DHAT.LOG              peak-memory equals DHAT's t-gmax"""
import decimal
import re
import sqlite3
import sys

ask = sqlite3.connect(sys.argv[2]).execute


def report(wrong, what):
    print("%s - %s" % ("not ok" if wrong else "ok", what))
    for line in list(wrong)[:10]:
        print("   ", line)


def callgrind():
    """Edges by name of caller and callee; names are compressed as (id) name, then (id)."""
    names, edges, caller, callee = {}, {}, None, None

    def name(text):
        number, _, word = text.partition(" ")
        if word:
            names[number] = re.sub(r"'\d+$", "", word)
        return names[number]
    for line in open(sys.argv[3]):
        line = line.rstrip("\n")
        if line.startswith("fn="):
            caller = name(line[3:])
        elif line.startswith("cfn="):
            callee = name(line[4:])
        elif line.startswith("calls="):
            count = int(line[6:].split()[0])
            edges[caller, callee] = edges.get((caller, callee), 0) + count
    ours = {(a, b): n for a, b, n in ask(
        "SELECT c.name, f.name, sum(e.calls) FROM edges e JOIN functions c ON c.id = e.caller_id"
        " JOIN functions f ON f.id = e.callee_id GROUP BY 1, 2")}
    known = {row[0] for row in ask("SELECT name FROM functions WHERE instrumented")}
    theirs = {edge: n for edge, n in edges.items() if edge[0] in known and edge[1] in known}
    both = set(ours) | set(theirs)
    wrong = ["%s -> %s: fisql %s, callgrind %s" % (a, b, ours.get((a, b)), theirs.get((a, b)))
             for a, b in sorted(both) if ours.get((a, b)) != theirs.get((a, b))]
    report(wrong, "%d edges of the call graph equal callgrind's" % len(both))
    if len(both) < 500:
        report(["only %d" % len(both)], "enough edges are compared")


def off_processor():
    """Time off the processor within each call that had any."""
    return dict(ask("WITH RECURSIVE up(id, off) AS (SELECT call_id, wait_ns + preempted_ns FROM gaps WHERE call_id IS NOT NULL"
                    " UNION ALL SELECT c.parent_id, up.off FROM up JOIN calls c ON c.id = up.id"
                    " WHERE c.parent_id IS NOT NULL) SELECT id, sum(off) FROM up GROUP BY id"))


def hook_costs():
    """By call: the part of its hooks' cost within it and that around it, and what all hooks cost up to its own."""
    inside, outside, before, sum_ = {}, {}, {}, 0
    for first, last, inside_ps, outside_ps in ask(
            "SELECT first_call_id, last_call_id, inside_ps, outside_ps FROM hook_costs ORDER BY first_call_id"):
        for id_ in range(first, last + 1):
            sum_ += inside_ps + outside_ps
            inside[id_], outside[id_], before[id_] = inside_ps, outside_ps, sum_
    return inside, outside, before


def calls():
    off = off_processor()
    decimal.getcontext().prec = 60
    inside, outside, before = hook_costs()
    times, stack, nesting, depth, recursive = {}, [], {}, {}, {}
    for id_, function, duration, descendants, level, ended, thread in ask(
            "SELECT c.id, f.function_id, c.duration_ns, c.descendants, c.depth, c.ended, c.thread_id"
            " FROM calls c JOIN frames f ON f.id = c.frame_id ORDER BY c.id"):
        while stack and (stack[-1][0] < id_):
            stack.pop()
        open_ = sum(1 for _, other in stack if other == function)
        stack.append((id_ + descendants, function))
        nesting[function] = max(nesting.get(function, 0), open_ + 1)
        recursive[function] = recursive.get(function, 0) + (open_ > 0)
        depth[function] = max(depth.get(function, 0), level)
        if ended < 2:
            adjusted = max(0, duration - (inside[id_] + before[id_ + descendants] - before[id_]) // 1000)
            times.setdefault(function, []).append(max(0, adjusted - off.get(id_, 0)))
    wrong = []
    for function, finished, mean, m2 in ask("SELECT function_id, finished, mean_ns, m2 FROM function_stats"):
        values = times.get(function, [])
        if finished != len(values):
            wrong.append("function %d: %d finished, %d rows" % (function, finished, len(values)))
        elif values:
            exact = decimal.Decimal(sum(values)) / len(values)
            squares = sum((value - exact) ** 2 for value in values)
            if abs(decimal.Decimal(mean) - exact) > exact * decimal.Decimal("1e-15"):
                wrong.append("function %d: mean %r, exactly %s" % (function, mean, exact))
            if abs(decimal.Decimal(m2) - squares) > squares * decimal.Decimal("1e-14"):
                wrong.append("function %d: m2 %r, exactly %s" % (function, m2, squares))
    report(wrong, "means and squared deviations of %d functions are exact to the last digits" % len(times))
    wrong = [row for row in ask("SELECT function_id, nesting_max, recursive_calls, depth_max FROM function_stats")
             if row[1:] != (nesting[row[0]], recursive[row[0]], depth[row[0]])]
    report(wrong, "nesting, recursion and depth equal those of the rows")


class Sum:
    """What is added up over a set of calls."""

    def __init__(self):
        self.calls = self.raw_total = self.raw_self = self.finished = self.total_hooks_ps = self.total_off = 0
        self.times, self.first, self.last = [], None, None
        self.child_calls = self.hooks_ps = self.off = 0


def one_pass():
    """The sums by frame, function, edge and (thread, function), and the callees of each call."""
    inside, outside, before = hook_costs()
    sums, sequences, stack, off = {}, {}, [], off_processor()
    off_self = dict(ask("SELECT call_id, sum(wait_ns + preempted_ns) FROM gaps WHERE call_id IS NOT NULL GROUP BY call_id"))
    kids, kids_ps = {}, {}
    for id_, parent in ask("SELECT id, parent_id FROM calls WHERE parent_id IS NOT NULL"):
        kids[parent] = kids.get(parent, 0) + 1
        kids_ps[parent] = kids_ps.get(parent, 0) + outside[id_]
    for id_, frame, function, site, thread, enter, duration, self_, descendants, ended in ask(
            "SELECT c.id, c.frame_id, f.function_id, f.site_id, c.thread_id, c.enter_ns, c.duration_ns, c.self_ns,"
            " c.descendants, c.ended FROM calls c JOIN frames f ON f.id = c.frame_id ORDER BY c.id"):
        while stack and stack[-1][0] < id_:
            stack.pop()
        caller = stack[-1][2] if stack else None
        if stack:
            callees = stack[-1][3]
            if not callees or callees[-1] != function:
                callees.append(function)
        hooks_ps = inside[id_] + before[id_ + descendants] - before[id_]
        adjusted = max(off.get(id_, 0), duration - hooks_ps // 1000)
        outer_frame = all(other[1] != frame for other in stack)
        outer = all(other[2] != function for other in stack)
        for key, counts in ((("frame", frame), outer_frame), (("function", function), outer),
                            (("edge", caller, site, function), outer), (("thread", thread, function), outer)):
            sum_ = sums.setdefault(key, Sum())
            sum_.calls += 1
            sum_.raw_self += self_
            sum_.child_calls += kids.get(id_, 0)
            sum_.hooks_ps += inside[id_] + kids_ps.get(id_, 0)
            sum_.off += off_self.get(id_, 0)
            sum_.raw_total += duration if counts else 0
            sum_.total_hooks_ps += hooks_ps if counts else 0
            sum_.total_off += off.get(id_, 0) if counts else 0
            sum_.first = enter if sum_.first is None else min(sum_.first, enter)
            sum_.last = enter if sum_.last is None else max(sum_.last, enter)
            if ended < 2:
                sum_.times.append(max(0, adjusted - off.get(id_, 0)))
        callees = []
        stack.append((id_ + descendants, frame, function, callees))
        sequences.setdefault(function, []).append(callees)
    for sum_ in sums.values():
        sum_.self = max(sum_.off, sum_.raw_self - sum_.hooks_ps // 1000)
        sum_.total = max(sum_.total_off, sum_.raw_total - sum_.total_hooks_ps // 1000)
    return sums, sequences


def totals():
    sums, sequences = one_pass()
    wrong = []

    def compare(what, key, actual, expected):
        if tuple(actual) != tuple(expected):
            wrong.append("%s %s: %s, the calls give %s" % (what, key[1:], actual, expected))
    for id_, *actual in ask("SELECT id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, child_calls, min_ns, max_ns,"
                            " first_ns, last_ns FROM frames WHERE calls > 0"):
        sum_ = sums["frame", id_]
        compare("frame", ("frame", id_), actual,
                (sum_.calls, sum_.total, sum_.self, sum_.raw_total, sum_.raw_self, sum_.child_calls,
                 min(sum_.times, default=None), max(sum_.times, default=None), sum_.first, sum_.last))
    for id_, *actual in ask("SELECT function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, min_ns, max_ns,"
                            " first_enter_ns, last_enter_ns, sequences FROM function_stats"):
        sum_ = sums["function", id_]
        distinct = len({tuple(callees) for callees in sequences[id_]})
        compare("function", ("function", id_), actual,
                (sum_.calls, sum_.total, sum_.self, sum_.raw_total, sum_.raw_self, min(sum_.times, default=None),
                 max(sum_.times, default=None), sum_.first, sum_.last, distinct))
    for caller, site, callee, *actual in ask("SELECT caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns,"
                                             " raw_self_ns FROM edges"):
        sum_ = sums["edge", caller, site, callee]
        compare("edge", ("edge", caller, site, callee), actual,
                (sum_.calls, sum_.total, sum_.raw_total, sum_.self, sum_.raw_self))
    for thread, function, *actual in ask("SELECT thread_id, function_id, calls, total_ns, self_ns, raw_total_ns,"
                                         " raw_self_ns FROM thread_functions"):
        sum_ = sums["thread", thread, function]
        compare("thread and function", ("thread", thread, function), actual,
                (sum_.calls, sum_.total, sum_.self, sum_.raw_total, sum_.raw_self))
    for function, calls, text, length in ask("SELECT function_id, calls, sequence, length FROM call_sequences"):
        same = sum(1 for callees in sequences[function]
                   if len(callees) == length and " ".join(map(str, callees[:64])) == text)
        if same != calls and length <= 64:
            wrong.append("sequence %s of function %d: %d calls, %d" % (text, function, calls, same))
    report(wrong, "totals of frames, functions, edges and threads, and sequences, equal those of the calls")


def peak():
    text = open(sys.argv[3]).read()
    found = re.search(r"At t-gmax: *([\d,]+) bytes in ([\d,]+) blocks", text)
    expected = tuple(int(number.replace(",", "")) for number in found.groups())
    actual = ask("SELECT sum(bytes), sum(blocks) FROM peak_memory").fetchone()
    report([] if actual == expected else ["fisql %s, DHAT %s" % (actual, expected)],
           "peak-memory equals DHAT's peak: %d bytes in %d blocks" % expected)


{"callgrind": callgrind, "calls": calls, "totals": totals, "peak": peak}[sys.argv[1]]()
