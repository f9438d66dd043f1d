#!/usr/bin/env python3
"""Checks queries against what the rows of `calls` give, computed here with whole numbers.

usage: oracles.py recursion|deep-stacks|outliers DB ROWS.json

One pass over `calls` in the order of ids, which is pre-order within a thread: a stack of open calls gives
nesting and depth, and adds up what `gaps` says of a call's callees; integer sums of durations, adjusted
and without the time off the processor, and of their squares give means and deviations that no rounding
touched. Prints what differs and how many rows were compared.
"""
import collections
import decimal
import json
import sqlite3
import sys


class Function:
    def __init__(self):
        self.calls = self.recursive = self.direct = self.nesting = self.open = 0
        self.finished = self.sum = self.squares = 0
        self.min = self.max = None
        self.depth, self.deepest, self.leaf = -1, None, False

    def finish(self, cpu_ns):
        self.finished += 1
        self.sum += cpu_ns
        self.squares += cpu_ns * cpu_ns
        self.min = cpu_ns if self.min is None else min(self.min, cpu_ns)
        self.max = cpu_ns if self.max is None else max(self.max, cpu_ns)


def hook_costs(database):
    """By call: the part of its hooks' cost that lies within it, and what those of it and of all calls before it cost."""
    inside, before, sum_ps = {}, {}, 0
    for first, last, inside_ps, outside_ps in database.execute(
            "SELECT first_call_id, last_call_id, inside_ps, outside_ps FROM hook_costs ORDER BY first_call_id"):
        for call in range(first, last + 1):
            sum_ps += inside_ps + outside_ps
            inside[call], before[call] = inside_ps, sum_ps
    return inside, before


def fold(database):
    inside, before = hook_costs(database)
    functions, stack = collections.defaultdict(Function), []
    off = dict(database.execute("SELECT call_id, sum(wait_ns + preempted_ns) FROM gaps GROUP BY 1"))

    def leave():
        call, function, adjusted = stack.pop()
        function.open -= 1
        if stack:
            off[stack[-1][0]] = off.get(stack[-1][0], 0) + off.get(call, 0)
        if adjusted is not None:
            function.finish(max(0, adjusted - off.get(call, 0)))

    for call, parent, function, duration, descendants, ended in database.execute(
            "SELECT c.id, c.parent_id, f.function_id, c.duration_ns, c.descendants, c.ended "
            "FROM calls c JOIN frames f ON f.id = c.frame_id ORDER BY c.id"):
        while stack and stack[-1][0] != parent:
            leave()
        now = functions[function]
        now.calls += 1
        now.recursive += now.open > 0
        now.direct += bool(stack) and stack[-1][1] is now
        now.open += 1
        now.nesting = max(now.nesting, now.open)
        if len(stack) > now.depth:
            now.depth, now.deepest, now.leaf = len(stack), call, descendants == 0
        hooks = (inside[call] + before[call + descendants] - before[call]) // 1000
        stack.append((call, now, max(0, duration - hooks) if ended < 2 else None))
    while stack:
        leave()
    return functions


def expect_recursion(functions, names):
    return collections.Counter((*names[i], f.nesting, f.calls, f.recursive, f.direct)
                               for i, f in functions.items() if f.nesting >= 2)


def expect_deep_stacks(functions, names):
    leaves = [(f.depth + 1, *names[i], f.deepest) for i, f in functions.items() if f.leaf]
    return collections.Counter(sorted(leaves, key=lambda row: (-row[0], row[3]))[:20])


def expect_outliers(functions, names):
    decimal.getcontext().prec = 60
    rows = collections.Counter()
    for i, f in functions.items():
        if f.finished >= 2 and f.sum > 0 and f.recursive == 0:
            mean = decimal.Decimal(f.sum) / f.finished
            spread = f.finished * f.squares - f.sum * f.sum
            deviation = (decimal.Decimal(spread) / (f.finished * (f.finished - 1))).sqrt()
            rows[(*names[i], f.finished, f.min, f.max, mean, deviation)] += 1
    return rows


COLUMNS = {
    "recursion": ("function", "location", "nesting", "calls", "recursive_calls", "direct_calls"),
    "deep-stacks": ("depth", "function", "location", "call"),
    "outliers": ("function", "location", "calls", "min_ns", "max_ns", "mean_ns", "deviation_ns"),
}


def differ(expected, actual, exact_columns):
    """Rows of one side alone. Figures after the exact columns are rounded to 0.1 by the query."""
    def rough(row):
        return [decimal.Decimal(x) for x in row[exact_columns:]]

    def order(rows):
        return sorted(rows.elements(), key=lambda row: (str(row[:exact_columns]), rough(row)))

    left, right = order(expected), order(actual)
    if len(left) != len(right):
        yield f"{len(left)} rows expected, {len(right)} found"
    for want, got in zip(left, right):
        near = all(abs(a - b) <= decimal.Decimal("0.0501") + a * decimal.Decimal("1e-12")
                   for a, b in zip(rough(want), rough(got)))
        if want[:exact_columns] != got[:exact_columns] or not near:
            yield f"expected {want}, found {got}"


def main():
    query, path, rows = sys.argv[1:]
    database = sqlite3.connect(path)
    names = {i: (name, location) for i, name, location in
             database.execute("SELECT id, name, location FROM function_details")}
    expected = {"recursion": expect_recursion, "deep-stacks": expect_deep_stacks,
                "outliers": expect_outliers}[query](fold(database), names)
    with open(rows, encoding="utf-8") as file:
        actual = collections.Counter(tuple(row[column] for column in COLUMNS[query])
                                     for row in json.load(file))
    for line in list(differ(expected, actual, 5 if query == "outliers" else len(COLUMNS[query])))[:20]:
        print(line)
    print("compared" if expected else "nothing to compare")


main()
