"""What the benchmarks share: the programs that they record, timing, and the sections of
docs/performance.md. A benchmark works in a temporary folder, which is the current one."""
import glob
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

build = os.path.abspath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
cache = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "fisql-tests")
work = tempfile.mkdtemp(prefix="fisql-bench-")
os.chdir(work)
fisql = build + "/fisql"


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").splitlines()[-10:]
        raise SystemExit("\n".join(["%s: exit status %d" % (" ".join(command), done.returncode)] + said))


def timed(command, env=None):
    """Wall and CPU seconds of a command and all that it starts."""
    environment = dict(os.environ, **(env or {}))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_of(path):
    if os.path.isdir(path):
        return sum(os.path.getsize(f) for f in glob.glob(path + "/*.dat"))
    return os.path.getsize(path)


def source(package, folder, what):
    """The folder of a package's source, which `tests/setup WHAT` fetches."""
    found = glob.glob("%s/%s/%s" % (cache, package, folder))
    if not found:
        sys.exit("the source of %s is missing: run tests/setup %s" % (package, what))
    return found[0]


def calls_in(log):
    run([fisql, "load", "-q", "--summary", "-o", "bench.db", log])
    out = subprocess.run(["sqlite3", "bench.db", "SELECT sum(calls) FROM threads"], check=True,
                         capture_output=True, text=True).stdout
    os.unlink("bench.db")
    return int(out)


def build_programs():
    with open("fib.c", "w") as file:
        file.write("""#include <pthread.h>
#include <stdlib.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static volatile int sink;
static void *run(void *n) { sink = fib((int)(long)n); return NULL; }
int main(int argc, char **argv) {
    pthread_t threads[8];
    int count = argc > 2 ? atoi(argv[2]) : 1;
    long n = atoi(argv[1]);
    for (int i = 1; i < count; i++) pthread_create(&threads[i], NULL, run, (void *)n);
    run((void *)n);
    for (int i = 1; i < count; i++) pthread_join(threads[i], NULL);
}
""")
    with open("heap.c", "w") as file:
        file.write("""#include <stdlib.h>
int main(int argc, char **argv) {
    void *volatile blocks[64] = {0};
    for (long i = 0; i < atol(argv[argc - 1]); i++) {
        free(blocks[i % 64]);
        blocks[i % 64] = malloc(16 + i % 400);
    }
    for (int i = 0; i < 64; i++) free(blocks[i]);
}
""")
    with open("empty.c", "w") as file:
        file.write("void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; }\n"
                   "void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; }\n")
    run(["gcc", "-O2", "-fPIC", "-shared", "-o", "empty.so", "empty.c"])
    with open("clock.c", "w") as file:
        file.write("""#include <stdint.h>
#include <time.h>
static __thread uint64_t last __attribute__((tls_model("initial-exec")));
#if defined(__x86_64__)
#define READ() __builtin_ia32_rdtsc()
#else
static uint64_t READ(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_nsec; }
#endif
void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; last = READ(); }
void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; last = READ(); }
""")
    run(["gcc", "-O2", "-fPIC", "-shared", "-o", "clock.so", "clock.c"])
    flags = ["-O1", "-fno-optimize-sibling-calls", "-g"]
    run(["gcc"] + flags + ["-o", "fib.plain", "fib.c", "-lpthread"])
    run(["gcc", "-pg", "-mfentry"] + flags + ["-o", "fib.fentry", "fib.c", "-lpthread"])
    run([fisql, "cc", "gcc"] + flags + ["-o", "fib.hooks", "fib.c", "-lpthread"])
    run([fisql, "cc", "--static-runtime", "gcc"] + flags + ["-o", "fib.linked", "fib.c", "-lpthread"])
    run(["gcc", "-O1", "-g", "-o", "heap.plain", "heap.c"])
    run([fisql, "cc", "gcc", "-O1", "-g", "-o", "heap.hooks", "heap.c"])
    source = glob.glob(cache + "/lua5.4/lua5.4-*/src")
    if not source:
        sys.exit("Lua's source is missing: run tests/setup check")
    os.mkdir("include")
    with open("include/lua5.4-deb-multiarch.h", "w") as file:
        file.write('#define DEB_HOST_MULTIARCH "bench"\n')
    files = [f for f in glob.glob(source[0] + "/*.c") if not f.endswith("/luac.c")]
    lua = ["-O1", "-g", "-w", "-Iinclude", "-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3", "-Wl,-E"]
    libraries = ["-lm", "-ldl"]
    run(["gcc"] + lua + ["-o", "lua.plain"] + files + libraries)
    run(["gcc", "-pg", "-mfentry"] + lua + ["-o", "lua.fentry"] + files + libraries)
    run([fisql, "cc", "gcc"] + lua + ["-o", "lua.hooks"] + files + libraries)
    run([fisql, "cc", "--static-runtime", "gcc"] + lua + ["-o", "lua.linked"] + files + libraries)
    lua[0] = "-O2"
    run(["gcc"] + lua + ["-o", "lua2.plain"] + files + libraries)
    run([fisql, "cc", "gcc"] + lua + ["-o", "lua2.hooks"] + files + libraries)
    run([fisql, "cc", "clang"] + lua + ["-o", "lua.clang"] + files + libraries)
    run([fisql, "cc", "--after-inlining", "clang"] + lua + ["-o", "lua.after"] + files + libraries)
    with open("sort.lua", "w") as file:
        file.write("""local t = {}
local x = 42
for round = 1, 1 do
  for i = 1, 160000 do x = (x * 1103515245 + 12345) % 2147483648; t[i] = x end
  table.sort(t, function(a, b) return a < b end)
end
print(t[1], t[#t])
""")


def measure(name, variants):
    """variants: name -> (command, environment, log). Returns name -> (walls, cpus, bytes). A log run.bin
    of the last round stays as kept.bin."""
    results = {variant: ([], [], 0) for variant in variants}
    if os.path.exists("kept.bin"):
        os.unlink("kept.bin")
    for number in range(rounds):
        for variant, (command, env, log) in variants.items():
            # All logs go before the next run: it would else compete with theirs being written to the disk.
            for old in {other for _, _, other in variants.values() if other}:
                if os.path.isdir(old):
                    shutil.rmtree(old)
                elif os.path.exists(old):
                    os.unlink(old)
            wall, cpu = timed(command, env)
            results[variant][0].append(wall)
            results[variant][1].append(cpu)
            if log and os.path.exists(log):
                results[variant] = results[variant][:2] + (size_of(log),)
                if log == "run.bin" and number == rounds - 1 and not os.path.exists("kept.bin"):
                    os.link(log, "kept.bin")
        print("%s: round %d of %d" % (name, number + 1, rounds), file=sys.stderr)
    return results


def machine():
    """A virtual machine often tells no more of its processor than the maker: its family says which it is."""
    text = open("/proc/cpuinfo").read()
    name, family, model = (re.search(r"^%s\s*: (.*)" % what, text, re.M) for what in ("model name", "cpu family", "model"))
    more = " (family %s, model %s)" % (family.group(1), model.group(1)) if family and model else ""
    return "%s%s, %d cores" % (name.group(1) if name else "?", more, os.cpu_count())


def write_section(name, lines, page="performance.md"):
    """Puts a section into docs/performance.md, or another page, in the place of the one of that name,
    and leaves the temporary folder."""
    page = os.path.join(root, "docs", page)
    text = open(page).read() if os.path.exists(page) else "# Performance\n"
    section = "## %s\n\n%s\n" % (name, "\n".join(lines).rstrip("\n"))
    pattern = r"(?m)^## %s\n(?:.*\n)*?(?=## |\Z)" % re.escape(name)
    if re.search(pattern, text):
        text = re.sub(pattern, lambda found: section + "\n", text)
    else:
        text = text.rstrip("\n") + "\n\n" + section
    open(page, "w").write(text.rstrip("\n") + "\n")
    os.chdir(root)
    shutil.rmtree(work)
