#!/usr/bin/env python3
"""Checks deep-stacks, outliers and recursion against what the raw rows give, computed here with whole numbers.

usage: oracles.py FISQL DB PROGRAM [QUERY...]

Prints a line `ok - ` or `not ok - ` for each comparison, and below it what differs. Read are `calls`, of `frames`
the function and the site, `gaps` and `hook_costs`; of what loading added up only the median and the 99th percentile
of a function, which are rounded: they are compared with the exact ones first.

One pass over `calls` in the order of ids, which is pre-order within a thread: a stack of open calls gives nesting,
cycles and depth, own times and what `gaps` says of a call's callees; integer sums of durations, adjusted and without
the time off the processor, and of their squares give means and deviations that no rounding touched.
"""
import array
import collections
import decimal
import heapq
import json
import sqlite3
import subprocess
import sys

KEPT = 16  # slow calls whose time the database has
SHOWN = 64  # functions of a cycle
# Filters of outliers: what is asked for by default, and what leaves out nothing.
DEFAULTS = {"min_calls": 10, "min_variation": 1, "min_max_ns": 1000, "min_share": 5, "min_slow_share": 0.1, "max_slow": 10,
            "min_self": 50}
NO_FILTERS = {"min_calls": 2, "min_variation": 0, "min_max_ns": 0, "min_share": 0, "min_slow_share": 0, "max_slow": 100,
              "min_self": 0}


class Function:
    def __init__(self, number):
        self.number = number
        self.calls = self.recursive = self.direct = self.nesting = self.open = 0
        self.nested = self.cycle = None
        self.times, self.slowest = array.array("q"), []
        self.raw_self = self.off_self = self.hooks_ps = 0
        self.raw_total = self.off_total = self.total_hooks_ps = 0  # of its calls that lie in no other of its calls
        self.depth, self.deepest, self.leaf = -1, None, False

    def enter(self, call, stack, descendants):
        self.calls += 1
        if self.open > 0:
            self.recursive += 1
            self.direct += stack[-1].function is self
            if self.cycle is None:
                self.cycle = self.cycle_of(stack)
        self.open += 1
        if self.open > self.nesting:
            self.nesting, self.nested = self.open, call
        if len(stack) > self.depth:
            self.depth, self.deepest, self.leaf = len(stack), call, descendants == 0

    def cycle_of(self, stack):
        """The functions from its innermost call on."""
        at = len(stack) - 1
        while stack[at].function is not self:
            at -= 1
        return [call.function for call in stack[at:at + SHOWN]]

    def leave(self, call):
        self.open -= 1
        self.raw_self += call.raw_self
        self.off_self += call.off_self
        self.hooks_ps += call.own_hooks_ps
        if self.open == 0:
            self.raw_total += call.duration
            self.off_total += call.off
            self.total_hooks_ps += call.hooks_ps
        if not call.finished:
            return
        cpu_ns = max(0, call.adjusted - call.off)
        self.times.append(cpu_ns)
        kept = (cpu_ns, -call.id, call.raw_self - call.off_self, call.duration - call.off)
        if len(self.slowest) < KEPT:
            heapq.heappush(self.slowest, kept)
        elif kept > self.slowest[0]:
            heapq.heapreplace(self.slowest, kept)

    def add_up(self):
        self.times = sorted(self.times)
        self.slowest.sort(reverse=True)
        self.finished, self.sum = len(self.times), sum(self.times)
        self.self_cpu = max(0, self.raw_self - self.hooks_ps // 1000 - self.off_self)
        self.cpu = max(0, self.raw_total - self.total_hooks_ps // 1000 - self.off_total)

    def quantile(self, percent):
        return self.times[(self.finished * percent + 99) // 100 - 1]

    def deviation(self):
        spread = self.finished * sum(time * time for time in self.times) - self.sum * self.sum
        return (decimal.Decimal(spread) / (self.finished * (self.finished - 1))).sqrt()


class Call:
    """An open call."""
    __slots__ = ("id", "function", "duration", "finished", "adjusted", "off", "off_self", "raw_self", "own_hooks_ps", "hooks_ps")


def hook_costs(ask):
    """By call: the part of its hooks' cost within it, the part that its caller pays, and what all hooks up to its own cost."""
    inside, outside, before = array.array("q", [0]), array.array("q", [0]), array.array("q", [0])
    for first, last, inside_ps, outside_ps in ask(
            "SELECT first_call_id, last_call_id, inside_ps, outside_ps FROM hook_costs ORDER BY first_call_id"):
        assert first == len(inside), "each call has its hooks' cost"
        sum_ps = before[-1]
        count, both = last - first + 1, inside_ps + outside_ps
        inside.extend([inside_ps] * count)
        outside.extend([outside_ps] * count)
        before.extend(range(sum_ps + both, sum_ps + both * count + 1, both) if both else [sum_ps] * count)
    return inside, outside, before


def fold(ask):
    inside, outside, before = hook_costs(ask)
    functions, stack = {}, []
    gaps = dict(ask("SELECT call_id, sum(wait_ns + preempted_ns) FROM gaps WHERE call_id IS NOT NULL GROUP BY 1"))

    def leave():
        call = stack.pop()
        if stack:
            stack[-1].off += call.off
            stack[-1].raw_self -= call.duration
            stack[-1].own_hooks_ps += outside[call.id]
        call.function.leave(call)

    for id_, parent, function, duration, descendants, ended in ask(
            "SELECT c.id, c.parent_id, f.function_id, c.duration_ns, c.descendants, c.ended "
            "FROM calls c JOIN frames f ON f.id = c.frame_id ORDER BY c.id"):
        while stack and stack[-1].id != parent:
            leave()
        if function not in functions:
            functions[function] = Function(function)
        call = Call()
        call.id, call.function, call.duration, call.finished = id_, functions[function], duration, ended < 2
        call.hooks_ps = inside[id_] + before[id_ + descendants] - before[id_]
        call.adjusted = max(0, duration - call.hooks_ps // 1000)
        call.off = call.off_self = gaps.get(id_, 0)
        call.raw_self, call.own_hooks_ps = duration, inside[id_]
        call.function.enter(id_, stack, descendants)
        stack.append(call)
    while stack:
        leave()
    for function in functions.values():
        function.add_up()
    return functions


class Oracle:
    def __init__(self, fisql, path, program):
        self.fisql, self.path, self.program = fisql, path, program
        self.ask = sqlite3.connect(path).execute
        self.names = {i: (name, location) for i, name, location in
                      self.ask("SELECT id, name, location FROM function_details")}
        self.short = dict(self.ask("SELECT id, name FROM functions"))
        self.functions = fold(self.ask)
        self.quantiles = {i: (median, p99) for i, median, p99 in
                          self.ask("SELECT function_id, median_ns, p99_ns FROM function_stats")}
        self.cpu_ns = sum(f.self_cpu for f in self.functions.values())

    def query(self, name, columns, parameters):
        options = [word for key, value in parameters.items() for word in ("-p", f"{key}={value}")]
        done = subprocess.run([self.fisql, "query", name, self.path, "--format", "json", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 1 and not done.stdout.strip():
            return []  # nothing found
        return [tuple(row[column] for column in columns) for row in json.loads(done.stdout)]

    def report(self, wrong, what):
        print(f"{'not ok' if wrong else 'ok'} - {self.program}: {what}")
        for line in wrong[:20]:
            print("   ", line)

    def report_rows(self, expected, actual, what):
        wrong = [] if expected else ["nothing to compare"]
        if len(expected) != len(actual):
            wrong.append(f"{len(expected)} rows expected, {len(actual)} found")
        wrong += [f"expected {want}, found {got}" for want, got in zip(expected, actual) if want != got]
        self.report(wrong, f"{what} gives the {len(expected)} rows that the calls give")

    # ---- recursion ----

    def recursion(self):
        def rank(function):
            return function.nesting, function.recursive, -function.number

        rows = []
        for f in sorted(self.functions.values(), key=rank, reverse=True):
            if f.recursive == 0 or any(rank(other) > rank(f) for other in f.cycle):
                continue
            kind = "direct" if f.direct == f.recursive else "both" if f.direct else "mutual"
            cycle = " => ".join(self.short[other.number] for other in [*f.cycle, f])
            rows.append((*self.names[f.number], f.nesting, f.calls, f.recursive, f.direct, kind, cycle, f.nested, f.self_cpu))
        actual = self.query("recursion", ("function", "location", "nesting", "calls", "recursive_calls", "direct_calls",
                                          "kind", "cycle", "deepest_call", "self_cpu_ns"), {})
        self.report_rows(rows, actual, "recursion")
        deepest = max((f.nesting for f in self.functions.values()), default=0)
        actual = self.query("recursion", ("function", "location", "nesting"), {"min_nesting": deepest})
        self.report_rows([row[:3] for row in rows if row[2] >= deepest], actual, "recursion, the deepest alone,")

    # ---- deep-stacks ----

    def stack_of(self, call):
        """The (function, site) pairs from the outermost call to this one; a pair that is open stands where it was opened."""
        chain = []
        while call is not None:
            call, *pair = self.ask("SELECT c.parent_id, f.function_id, f.site_id FROM calls c "
                                   "JOIN frames f ON f.id = c.frame_id WHERE c.id = ?", (call,)).fetchone()
            chain.append(tuple(pair))
        at, stack = {}, ()
        for pair in reversed(chain):
            if pair not in at:
                at[pair] = (*stack, pair)
            stack = at[pair]
        return stack

    def expect_deep_stacks(self, rows, considered):
        leaves = sorted((f for f in self.functions.values() if f.leaf), key=lambda f: (-f.depth, f.deepest))
        seen, found = set(), []
        for f in leaves[:considered]:
            stack = self.stack_of(f.deepest)
            if stack[:(len(stack) - 1) // 2 + 1] not in seen:
                thread, enter_ns = self.ask("SELECT t.name, c.enter_ns FROM calls c JOIN threads t ON t.id = c.thread_id "
                                            "WHERE c.id = ?", (f.deepest,)).fetchone()
                inlined = sum(inner[1] == outer[1] for outer, inner in zip(stack, stack[1:]))
                found.append((f.depth + 1, *self.names[f.number], f.deepest, thread, enter_ns, inlined,
                              " => ".join(self.short[function] for function, _ in stack)))
            seen.update(stack[:end + 1] for end in range(len(stack)))
        return found[:rows]

    def deep_stacks(self):
        columns = ("depth", "function", "location", "call", "thread", "enter_ns", "inlined", "stack")
        for what, rows, considered, parameters in (
                ("deep-stacks", 20, 1000, {}),
                ("deep-stacks of all functions", 10**6, 10**6, {"rows": 10**6, "considered": 10**6}),
                ("deep-stacks of the ten deepest functions", 5, 10, {"rows": 5, "considered": 10}),
                ("deep-stacks of the deepest function", 20, 1, {"considered": 1})):
            self.report_rows(self.expect_deep_stacks(rows, considered), self.query("deep-stacks", columns, parameters), what)

    # ---- outliers ----

    def check_quantiles(self):
        wrong = []
        for i, f in self.functions.items():
            if f.finished > 0:
                for percent, stored in zip((50, 99), self.quantiles[i]):
                    exact = f.quantile(percent)
                    if abs(stored - exact) > 0.032 * exact:
                        wrong.append(f"{self.names[i]}: {percent} %: {stored} ns, {exact} ns by the calls")
        self.report(wrong, "medians and 99th percentiles are those of the calls, up to 3.2 %")

    def outlier(self, f, filters):
        """Whether it has to be listed (1), must not be (0), or can be (None), its slow calls, and the bounds of their time."""
        if f.recursive or f.finished < max(2, filters["min_calls"]) or f.sum == 0:
            return 0, 0, (0, 0)
        median, p99 = self.quantiles[f.number]
        least = max(8 * median, filters["min_max_ns"])
        # Ranges are powers of two, the first with 0: a call is in a range from `least` on.
        slow = [time for time in f.times if 1 << max(time, 1).bit_length() - 1 >= least]
        low = high = sum(slow)
        if len(slow) > KEPT:  # a range counts with its middle, all with no more than the function took
            low, high = min(0.74 * low, f.cpu), 1.51 * sum(max(time, 1) for time in slow)
        mean = decimal.Decimal(f.sum) / f.finished
        sample = f.slowest[:max(1, len(slow))]
        own, whole = sum(call[2] for call in sample), sum(call[3] for call in sample)
        if (f.times[-1] < filters["min_max_ns"]
                or f.deviation() < decimal.Decimal(filters["min_variation"]) * mean
                or 100 * len(slow) > filters["max_slow"] * f.finished
                or 100 * own < filters["min_self"] * whole):
            return 0, len(slow), (low, high)

        def of_run(slow_ns, percent):
            return 100 * slow_ns >= percent * self.cpu_ns

        def takes_enough(slow_ns):
            return of_run(slow_ns, filters["min_slow_share"]) and (p99 >= least or of_run(slow_ns, filters["min_share"]))

        def is_own(slow_ns):
            return 100 * f.self_cpu >= filters["min_self"] * slow_ns

        if takes_enough(low) and is_own(high):
            return 1, len(slow), (low, high)
        return None if takes_enough(high) and is_own(low) else 0, len(slow), (low, high)

    def compare_outliers(self, filters):
        """What is wrong, and how many rows there were."""
        columns = ("function", "location", "fastest_call", "slowest_call", "calls", "slow_calls", "min_ns", "max_ns", "slow_ns",
                   "mean_ns", "deviation_ns", "variation")
        changed = {key: value for key, value in filters.items() if value != DEFAULTS[key]}
        rows = self.query("outliers", columns, changed)
        actual = collections.defaultdict(list)
        for row in rows:
            actual[row[:4]].append(row[4:])
        wrong, before = [], None
        for row in rows:
            if before is not None and row[8] > before[8]:
                wrong.append(f"{row} comes after {before}")
            before = row
        for i, f in self.functions.items():
            listed, slow_calls, (low, high) = self.outlier(f, filters)
            found = None
            if f.finished:
                # The first call to be that fast or slow.
                found = next((key for key in actual if key[:2] == self.names[i] and self.is_call_of(key[3], i)), None)
            if found is None:
                if listed == 1:
                    wrong.append(f"{self.names[i]} is not listed: {filters}")
                continue
            row = actual[found].pop()
            if not actual[found]:
                del actual[found]
            mean = decimal.Decimal(f.sum) / f.finished
            deviation = f.deviation()
            near = all(abs(decimal.Decimal(number) - exact) <= decimal.Decimal(half) + exact * decimal.Decimal("1e-12")
                       for number, exact, half in ((row[5], mean, "0.0501"), (row[6], deviation, "0.0501"),
                                                   (row[7], deviation / mean, "0.00501")))
            if (listed == 0 or not near or not low <= row[4] <= high
                    or row[:4] != (f.finished, slow_calls, f.times[0], f.times[-1]) or found[3] != -f.slowest[0][1]):
                expected = listed, f.finished, slow_calls, f.times[0], f.times[-1]
                wrong.append(f"{self.names[i]}: expected {expected}, {low} .. {high}, {mean:.1f}, {deviation:.1f}, "
                             f"found {row}: {filters}")
        wrong += [f"{key} is not of the calls" for key in actual]
        return wrong, len(rows)

    def is_call_of(self, call, function):
        return self.ask("SELECT f.function_id FROM calls c JOIN frames f ON f.id = c.frame_id WHERE c.id = ?",
                        (call,)).fetchone() == (function,)

    def outliers(self):
        self.check_quantiles()
        wrong, rows = self.compare_outliers(NO_FILTERS)
        self.report(wrong if rows else ["nothing to compare"],
                    f"outliers without filters gives the calls' figures of {rows} functions")
        for name, value in DEFAULTS.items():
            wrong, rows = self.compare_outliers({**NO_FILTERS, name: value})
            self.report(wrong, f"outliers with {name}={value} alone gives the {rows} functions that the calls give")
        wrong, rows = self.compare_outliers(DEFAULTS)
        self.report(wrong, f"outliers gives the {rows} functions that the calls give")


def main():
    decimal.getcontext().prec = 60
    oracle = Oracle(*sys.argv[1:4])
    for query in sys.argv[4:] or ("recursion", "deep-stacks", "outliers"):
        getattr(oracle, query.replace("-", "_"))()


main()
