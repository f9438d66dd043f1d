#!/usr/bin/env python3
"""make bench-symbols: loading a recording of a program with some 500 MB of debug information: with one
thread, with as many as there are cores, and with its symbols in the cache. Writes the section "Symbols" of
docs/performance.md.

    tests/bench/symbols.py BUILD [ROUNDS] [PROGRAM]

The program is made of 60 units of templates of the standard library, which takes some ten minutes; PROGRAM
is one made before (it is left as symbols-program in the cache folder of the tests)."""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from common import cache, fisql, machine, rounds, run, work, write_section

UNITS, INSTANCES = 60, 20
HEADERS = "algorithm deque functional list map memory string unordered_map variant vector".split()
UNIT = """namespace unit%d {
template <int N> struct Tag { int value; std::string name; bool operator<(const Tag &o) const { return value < o.value; } };
template <int N> int work(int x) {
  std::map<Tag<N>, std::vector<std::shared_ptr<Tag<N>>>> map; Tag<N> tag{x, "t"};
  map[tag].push_back(std::make_shared<Tag<N>>(tag));
  std::deque<Tag<N>> queue; queue.push_back(tag); queue.push_front(tag); std::sort(queue.begin(), queue.end());
  std::list<Tag<N>> list(queue.begin(), queue.end()); list.sort();
  std::unordered_map<std::string, std::unique_ptr<Tag<N>>> names; names.emplace(tag.name, std::make_unique<Tag<N>>(tag));
  std::function<int(const Tag<N> &)> f = [&](const Tag<N> &a) { return a.value + (int)names.size(); };
  std::variant<int, Tag<N>, std::vector<Tag<N>>> v = tag;
  return f(std::get<Tag<N>>(v)) + (int)std::count_if(list.begin(), list.end(), [](const Tag<N> &a) { return a.value > 0; });
}
int run(int x) { return %s; }
}
"""


def make_unit(number):
    with open("u%d.cc" % number, "w") as file:
        file.write("".join("#include <%s>\n" % header for header in HEADERS))
        file.write(UNIT % (number, " + ".join("work<%d>(x)" % i for i in range(INSTANCES))))
    run([fisql, "cc", "g++", "-std=c++17", "-O0", "-g", "-c", "u%d.cc" % number])


def make_program(path):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(make_unit, range(UNITS)))
    with open("main.cc", "w") as file:
        for i in range(UNITS):
            file.write("namespace unit%d { int run(int); }\n" % i)
        file.write("int (*all[])(int) = {%s};\n" % ", ".join("unit%d::run" % i for i in range(UNITS)))
        file.write("int main() { return (all[7](3) + all[31](4)) == 0; }\n")
    run([fisql, "cc", "g++", "-g", "-o", path, "main.cc"] + ["u%d.o" % i for i in range(UNITS)])


def debug_bytes(path):
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    return sum(int(size, 16) for size in re.findall(r"\.debug_\S+ +PROGBITS +\S+ +\S+ +(\S+)", out))


def load(cores, folder):
    """Seconds and peak MiB of a load."""
    env = dict(os.environ, XDG_CACHE_HOME=folder)
    if os.path.exists("run.db"):
        os.unlink("run.db")
    command = ["taskset", "-c", ",".join(map(str, range(cores))), "/usr/bin/time", "-f", "%e %M", fisql, "load",
               "-q", "run.bin"]
    seconds, kilobytes = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stderr.split()[-2:]
    return float(seconds), int(kilobytes) / 1024


program = sys.argv[3] if len(sys.argv) > 3 else os.path.join(cache, "symbols-program")
if not os.path.exists(program):
    print("making a program with 500 MB of debug information", file=sys.stderr)
    make_program(program)
run([fisql, "record", "-q", "-o", "run.bin", program])
samples = {"one core": [], "%d cores" % os.cpu_count(): [], "symbols in the cache": []}
for _ in range(rounds):
    for (name, found), cores in zip(samples.items(), (1, os.cpu_count(), os.cpu_count())):
        folder = os.path.join(work, "cache")
        if name != "symbols in the cache":
            shutil.rmtree(folder, ignore_errors=True)
        found.append(load(cores, folder))
functions = subprocess.run(["sqlite3", "run.db", "SELECT count(*) FROM functions"], capture_output=True, text=True,
                           check=True).stdout.strip()
lines = ["`make bench-symbols` (best of %d) on %s: `fisql load` of a short run of a C++ program of %.0f MB with %.0f MB "
         "of debug information and %s functions, all of which the database then lists." % (
             rounds, machine(), os.path.getsize(program) / 1e6, debug_bytes(program) / 1e6, functions), "",
         "| | s | peak MiB |", "| --- | --: | --: |"]
for name, found in samples.items():
    lines.append("| %s | %.1f | %.0f |" % (name, min(found)[0], max(peak for _, peak in found)))
print("\n".join(lines))
write_section("Symbols", lines)
