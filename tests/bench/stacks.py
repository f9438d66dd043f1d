#!/usr/bin/env python3
"""make bench-stacks: what `fisql stacks` costs, and what a program of 200 threads notices of it.

    tests/bench/stacks.py BUILD [ROUNDS]

One thread of the program calls a function with hooks as often as it can, the others wait in up to twelve calls. In
turn, some seconds of each: nobody asks; `fisql stacks` is called again and again; a program that does nothing but take
as much processor time is started in its place (the control: what that costs on this machine, whoever takes it).
Writes the section of docs/performance.md."""
import os
import resource
import statistics
import subprocess
import sys
import time

from common import fisql, machine, rounds, run, write_section

others = os.getloadavg()[0]  # before we begin
CALLS = 50
EVERY_S = 0.06  # from one call's beginning to the next one's

with open("many.c", "w") as file:
    file.write("""#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile long steps;
static clockid_t busy;
static void wait_for_work(void)
{
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
}
static void take(int depth)
{
    if (depth > 0)
        take(depth - 1);
    else
        wait_for_work();
}
static void *work(void *number)
{
    take((int)(long)number % 10);
    return NULL;
}
static __attribute__((noinline)) int step(int i)
{
    return i * 7;
}
static void *tell(void *nothing)
{
    for (char letter; read(0, &letter, 1) == 1;) {
        struct timespec now, ran;
        clock_gettime(CLOCK_MONOTONIC, &now);
        clock_gettime(busy, &ran);
        printf("%ld %ld %ld\\n", steps, now.tv_sec * 1000000000L + now.tv_nsec, ran.tv_sec * 1000000000L + ran.tv_nsec);
        fflush(stdout);
    }
    _exit(0);
    return nothing;
}
int main(void)
{
    pthread_t id;
    pthread_getcpuclockid(pthread_self(), &busy);
    for (long i = 0; i < 198; i++)
        pthread_create(&id, NULL, work, (void *)i);
    pthread_create(&id, NULL, tell, NULL);
    for (int i = 0;; i++) {
        step(i);
        steps++;
    }
}
""")
with open("spin.c", "w") as file:
    file.write("""#include <stdlib.h>
#include <time.h>
int main(int count, char **words)
{
    struct timespec now = {0, 0};
    while (count > 1 && now.tv_sec * 1000000L + now.tv_nsec / 1000 < atol(words[1]))
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 0;
}
""")
run(["gcc", "-O2", "-o", "spin", "spin.c"])
run([fisql, "cc", "gcc", "-O1", "-g", "-o", "many", "many.c", "-lpthread"])


def child_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Program:
    """The program in `fisql record`, which waits for what we ask."""

    def __init__(self):
        self.process = subprocess.Popen([fisql, "record", "-q", "-o", "many.bin", "./many"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        time.sleep(1)

    def steps(self):
        self.process.stdin.write(b"x")
        self.process.stdin.flush()
        return [int(word) for word in self.process.stdout.readline().split()]

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        os.unlink("many.bin")


def window(program, command):
    """Calls of step() a second, and a second of its thread's processor time, while the command is called CALLS times, and
    the wall and processor times of each call."""
    walls, cpus = [], []
    first, begun, ran = program.steps()
    due = time.monotonic()
    for _ in range(CALLS):
        if command:
            cpu, start = child_seconds(), time.monotonic()
            if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
                sys.exit("%s failed" % " ".join(command))
            walls.append(time.monotonic() - start)
            cpus.append(child_seconds() - cpu)
        due += EVERY_S
        time.sleep(max(0, due - time.monotonic()))
    last, ended, ran_then = program.steps()
    return ((last - first) * 1e9 / (ended - begun), (last - first) * 1e9 / (ran_then - ran)), walls, cpus


def change(one, before, after, which):
    return one[which] / ((before[which] + after[which]) / 2) - 1


stacks, control, walls, cpus, bases = ([], []), ([], []), [], [], []
for number in range(rounds):
    program = Program()
    ask = [fisql, "stacks", str(program.process.pid)]
    shown = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    if "200 threads" not in shown or "main (many.c:" not in shown or "20 threads" not in shown:
        sys.exit("fisql stacks does not show 200 threads:\n" + shown)
    before = window(program, None)[0]
    asked, some_walls, some_cpus = window(program, ask)
    between = window(program, None)[0]
    spun = window(program, ["./spin", "%d" % (statistics.median(some_cpus) * 1e6)])[0]
    after = window(program, None)[0]
    program.end()
    for which in 0, 1:
        stacks[which].append(change(asked, before, between, which))
        control[which].append(change(spun, between, after, which))
    bases += [before[0], between[0], after[0]]
    walls += some_walls
    cpus += some_cpus
    print("round %d of %d: stacks %+.1f %%, control %+.1f %%" % (number + 1, rounds, stacks[0][-1] * 100, control[0][-1] * 100),
          file=sys.stderr)


def row(what, values, unit, form="%.1f"):
    return ("| %s | " + form + " %s | " + form + " to " + form + " %s |") % (
        what, statistics.median(values), unit, min(values), max(values), unit)


def percent(values):
    return [100 * value for value in values]


lines = ["`make bench-stacks` (%d rounds) on %s. A program of 200 threads, one of which makes %.0f million calls a second; `fisql"
         % (rounds, machine(), statistics.median(bases) / 1e6),
         "stacks` is called %d times, one each %d ms. *Control*: in its place a program that only takes the same processor time."
         % (CALLS, EVERY_S * 1000),
         "*Of processor time*: calls a second that the thread ran, which leaves out what others take of the machine. Load",
         "average of the machine at the beginning: %.1f%s." % (others, ": it was busy, and the wall's figures say little" if others > 0.5 else ""), "",
         "| | median | least to most |", "| --- | ---: | ---: |",
         row("wall time of a call of `fisql stacks`", [1e3 * wall for wall in walls], "ms"),
         row("processor time of a call", [1e3 * cpu for cpu in cpus], "ms"),
         row("the program's calls a second meanwhile", percent(stacks[0]), "%", "%+.1f"),
         row("with the control", percent(control[0]), "%", "%+.1f"),
         row("the program's calls a second of processor time meanwhile", percent(stacks[1]), "%", "%+.1f"),
         row("with the control", percent(control[1]), "%", "%+.1f")]
print("\n".join(lines))
write_section("Asking", lines)
