#!/usr/bin/env python3
"""Prints the circles of calls between the files of this folder, each with its functions.

usage: call_circles.py BUILD [FUNCTION]...

BUILD/obj has the object files, laid out like the sources. All objects that were compiled from a
file count as one. A file calls another one where its object refers to a function that an object of
the same program or library defines. The collector stands in front of functions of the C library: calls
of these are no calls of the collector.

Calls of the functions that are named may close a circle. One that closes none is printed as well.
"""

import os
import re
import subprocess
import sys

# How the collector's files are compiled for its libraries.
VARIANTS = re.compile(r"_(values|faults|wrap|static)$")
# Libraries of their own, which stand in front of the C library.
APART = re.compile(r"^collector/(faults/faults_calls|locks/locks(_\w+)?)$")


def symbols(arguments, folder):
    """The file, the name and the kind of each symbol, as nm has them."""
    command = ["nm", "-P", "-A"] + arguments
    # It complains of objects without symbols.
    listed = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    for line in listed.stdout.splitlines():
        path, name, kind = line.split()[:3]
        yield path.rstrip(":"), name, kind


def of_the_c_library(build):
    """The functions that the collector stands in front of: it exports them."""
    names = os.listdir(build)
    libraries = [name for name in names if name.startswith("libfisql") and name.endswith(".so")]
    if not libraries:
        return set()
    exported = {name for _, name, _ in symbols(["-D", "--defined-only"] + libraries, build)}
    return {name for name in exported if not re.match(r"fisql_|__cyg_", name)}


def source_of(path):
    """The file that an object was compiled from, without its suffix; None where it is gone."""
    file = VARIANTS.sub("", path) if path.startswith("collector/") else path
    return file if os.path.exists(file + ".c") or os.path.exists(file + ".S") else None


def program_of(path, file):
    if not path.startswith("collector/"):
        return "fisql"
    return "apart" if APART.match(file) else "collector" + path[len(file) :]


def read_objects(folder):
    """Of each object: its program or library, its file, what it defines and refers to."""
    paths = [
        os.path.relpath(os.path.join(where, name), folder)
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(".o")
    ]
    objects = {}
    for path, name, kind in symbols(["-g"] + paths, folder):
        defined, referred = objects.setdefault(path[: -len(".o")], (set(), set()))
        if kind in "TWi":
            defined.add(name)
        elif kind in "Uw":
            referred.add(name)
    for path, (defined, referred) in objects.items():
        file = source_of(path)
        if file is not None:
            yield program_of(path, file), file, defined, referred


def calls_between(build):
    """For each file the files that it calls, and for each of these the functions."""
    objects = list(read_objects(os.path.join(build, "obj")))
    others = of_the_c_library(build)
    definer = {}
    for program, file, defined, _ in objects:
        for name in defined:
            if program == "fisql" or name.replace("__wrap_", "") not in others:
                definer[program, name] = file
    calls = {}
    for program, file, _, referred in objects:
        for name in referred:
            callee = definer.get((program, name))
            if callee and callee != file:
                calls.setdefault(file, {}).setdefault(callee, set()).add(name)
    return calls


def without(calls, functions):
    """The same calls but for those of these functions."""
    left = {}
    for caller, callees in calls.items():
        for callee, names in callees.items():
            if names - functions:
                left.setdefault(caller, {})[callee] = names - functions
    return left


def reached(calls, start):
    """The files that a file calls, over any number of files."""
    seen, todo = set(), [start]
    while todo:
        for callee in calls.get(todo.pop(), ()):
            if callee not in seen:
                seen.add(callee)
                todo.append(callee)
    return seen


def circles(calls):
    """Lists of files that reach one another."""
    reach = {file: reached(calls, file) for file in calls}
    left = sorted(file for file in calls if file in reach[file])
    while left:
        circle = [file for file in left if file in reach[left[0]] and left[0] in reach[file]]
        left = [file for file in left if file not in circle]
        yield circle


def main():
    every = calls_between(sys.argv[1])
    allowed = set(sys.argv[2:])
    calls = without(every, allowed)
    found = list(circles(calls))
    for function in sorted(allowed):
        if list(circles(without(every, allowed - {function}))) == found:
            print(f"no circle needs {function}")
    for circle in found:
        print(f"a circle of {len(circle)}: {' '.join(circle)}")
        for caller in circle:
            for callee in sorted(set(calls[caller]) & set(circle)):
                print(f"  {caller} -> {callee}: {' '.join(sorted(calls[caller][callee]))}")


if __name__ == "__main__":
    main()
