#!/usr/bin/env python3
"""What a JSON trace holds, by Python's own reader of JSON: the oracle of tests/e2e/foreign_chrome.sh.

  chrome-sums FILE      name, number of slices, nanoseconds, a line for each name
  chrome-details FILE   name, number of slices with args.detail, number of different ones
  chrome-depths FILE    depth, number of slices, by nesting of the intervals in each thread
  chrome-counters FILE  name, series, number, sum
  deep-json N           a trace of N nested slices
  many-json N           a trace of N slices in no order; many-sums N: what chrome-sums would say of it
"""
import json
import sys
from collections import defaultdict
from decimal import Decimal


def ns(value):
    return int((Decimal(str(value)) * 1000).to_integral_value())


def slices(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=Decimal)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    return events, [e for e in events if e["ph"] == "X"]


def print_rows(rows):
    for row in sorted(rows):
        print("|".join(str(part) for part in row))


def chrome_sums(path):
    sums = defaultdict(lambda: [0, 0])
    for event in slices(path)[1]:
        sums[event["name"]][0] += 1
        sums[event["name"]][1] += ns(event["dur"])
    print_rows((name, *both) for name, both in sums.items())


def chrome_details(path):
    found = defaultdict(list)
    for event in slices(path)[1]:
        if "detail" in event.get("args", {}):
            found[event["name"]].append(event["args"]["detail"][:500])
    print_rows((name, len(all), len(set(all))) for name, all in found.items())


def chrome_depths(path):
    threads = defaultdict(list)
    for number, event in enumerate(slices(path)[1]):
        start = ns(event["ts"])
        threads[event.get("pid"), event.get("tid")].append((start, -(start + ns(event["dur"])), number))
    depths = defaultdict(int)
    for events in threads.values():
        ends = []
        for start, end, _ in sorted(events):
            while ends and ends[-1] <= start:
                ends.pop()
            depths[len(ends)] += 1
            ends.append(min(-end, ends[-1]) if ends else -end)
    for depth in sorted(depths):
        print(f"{depth}|{depths[depth]}")


def chrome_counters(path):
    sums = defaultdict(lambda: [0, 0])
    for event in slices(path)[0]:
        if event["ph"] == "C":
            for series, value in event["args"].items():
                sums[event["name"], series][0] += 1
                sums[event["name"], series][1] += value
    print_rows((*key, *both) for key, both in sums.items())


def deep_json(count):
    print("[")
    for number in range(count):
        print(f'{{"ph":"X","name":"level","pid":1,"tid":1,"ts":{number},"dur":{2 * (count - number)}}},')


def many(count):
    for number in range(count):
        place = number * 7919 % count  # count is no multiple of 7919
        yield place, f"f{place % 5}", 1 + place % 3


def many_json(count):
    print("[")
    for place, name, length in many(count):
        print(f'{{"ph":"X","name":"{name}","pid":{place % 2},"tid":{place % 3},"ts":{place * 10},"dur":{length}}},')


def many_sums(count):
    sums = defaultdict(lambda: [0, 0])
    for _, name, length in many(count):
        sums[name][0] += 1
        sums[name][1] += length * 1000
    print_rows((name, *both) for name, both in sums.items())


if __name__ == "__main__":
    what, argument = sys.argv[1:3]
    {"chrome-sums": chrome_sums, "chrome-details": chrome_details, "chrome-depths": chrome_depths,
     "chrome-counters": chrome_counters, "deep-json": lambda n: deep_json(int(n)), "many-json": lambda n: many_json(int(n)),
     "many-sums": lambda n: many_sums(int(n))}[what](argument)
