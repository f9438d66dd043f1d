"""Writes the database of a small run by hand, for tests/e2e/whatif.sh: whatif_runs.py SCHEMA RUN OUTPUT.DB

Times are in milliseconds. A thread's calls are (function, start, end, calls within); the rest is
what it waited for."""
import sqlite3
import sys

MS = 1000000
KINDS = ("mutex", "condition", "barrier", "thread", "semaphore")


class Run:
    def __init__(self, schema, path):
        self.db = sqlite3.connect(path)
        self.db.executescript(open(schema).read())
        self.functions, self.frames, self.locks, self.calls = {}, {}, {}, 0
        self.insert("run", key="run_id", value="made")
        self.insert("modules", id=1, path="/tmp/made", name="made")
        self.process(1, None, 100)

    def insert(self, table, **columns):
        self.db.execute(f"INSERT INTO {table}({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                        list(columns.values()))

    def process(self, number, parent, end):
        self.db.execute("DELETE FROM processes WHERE id = ?", (number,))
        self.insert("processes", id=number, pid=100 + number, parent_id=parent, origin="fork" if parent else "start",
                    start_ns=0, end_ns=int(end * MS), how_ended="exit", status=0)

    def function(self, name):
        if name not in self.functions:
            self.functions[name] = len(self.functions) + 1
            self.insert("functions", id=self.functions[name], module_id=1, address=0x1000 * self.functions[name],
                        size=64, name=name, instrumented=1, stable_id=name)
        return self.functions[name]

    def frame(self, parent, name):
        if (parent, name) not in self.frames:
            self.frames[parent, name] = len(self.frames) + 1
            self.insert("frames", id=self.frames[parent, name], parent_id=parent, function_id=self.function(name), depth=0,
                        calls=1, total_ns=0, self_ns=0, finished=1, raw_total_ns=0, raw_self_ns=0, child_calls=0)
        return self.frames[parent, name]

    def call(self, thread, item, parent=None, parent_id=None, depth=0):
        name, start, end, *within = item
        self.calls += 1
        call, frame = self.calls, self.frame(parent, name)
        inner = within[0] if within else []
        for each in inner:
            self.call(thread, each, frame, call, depth + 1)
        self.insert("calls", id=call, thread_id=thread, frame_id=frame, depth=depth, enter_ns=int(start * MS),
                    duration_ns=int(end * MS) - int(start * MS), parent_distance=call - parent_id if parent_id else None,
                    descendants=self.calls - call, children_ns=sum(int(e[2] * MS) - int(e[1] * MS) for e in inner))
        self.innermost.append((start, end, frame))

    def thread(self, number, start, end, calls, process=1):
        first = self.calls + 1
        self.innermost = []
        for item in calls:
            self.call(number, item)
        self.insert("threads", id=number, process_id=process, tid=100 + number, name=f"t{number}", start_ns=int(start * MS),
                    end_ns=int(end * MS), first_call_id=first, last_call_id=self.calls, calls=self.calls - first + 1)

    def gap(self, thread, start, wall, wait, aside=0, frame=None):
        self.insert("gaps", thread_id=thread, frame_id=frame, start_ns=int(start * MS), wall_ns=int(wall * MS),
                    wait_ns=int(wait * MS), preempted_ns=int(aside * MS), waits=1, preemptions=0)

    def lock(self, name, kind):
        if name not in self.locks:
            self.locks[name] = len(self.locks) + 1
            self.insert("locks", id=self.locks[name], process_id=1, kind=kind, address=self.locks[name] * 64, variable=name, made=0)
        return self.locks[name]

    def wait(self, thread, kind, name, start, end, frame=None, holder=None, mutex=None, ended="taken"):
        assert kind in KINDS
        self.insert("lock_waits", lock_id=self.lock(name, kind), thread_id=thread, frame_id=frame, mode="write",
                    start_ns=int(start * MS), wait_ns=int(end * MS) - int(start * MS), ended=ended, held_by_thread_id=holder,
                    mutex_id=self.locks[mutex] if mutex else None)

    def holds(self, thread, name, times, ms):
        self.insert("lock_holds", lock_id=self.locks[name], thread_id=thread, times=times, hold_ns=int(ms * MS),
                    longest_ns=int(ms * MS), failed=0)

    def finish(self):
        self.db.execute("""INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished,
            max_ns, child_calls, calling, single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max,
            recursive_calls, direct_recursive_calls, sequences)
            SELECT fr.function_id, count(*), sum(duration_ns), sum(c.self_ns), sum(duration_ns), sum(c.self_ns), count(*),
            max(duration_ns), 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1
            FROM calls c JOIN frames fr ON fr.id = c.frame_id GROUP BY fr.function_id""")
        self.db.execute("""INSERT INTO callee_runs(caller_id, callee_id, count, calls, caller_calls, longest, raw_total_ns)
            SELECT pf.function_id, fr.function_id, 1, count(*), count(DISTINCT c.parent_id), count(*), 0
            FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN calls p ON p.id = c.parent_id
            JOIN frames pf ON pf.id = p.frame_id GROUP BY 1, 2""")
        self.db.commit()


def joined(run):
    """main begins t2 at 15, joins it from 20 to 80."""
    run.thread(1, 0, 100, [("main", 0, 100, [("part", 0, 10), ("part", 80, 100)])])
    run.thread(2, 15, 80, [("work", 15, 80)])
    run.wait(1, "thread", "t2", 20, 80)


def locked(run, every=True):
    """t2 waits for stat_lock from 20 to 40, which main has from 10 to 40; then it has it to 70."""
    run.thread(1, 0, 90, [("main", 0, 90, [("hold", 10, 40)])])
    run.thread(2, 0, 90, [("work", 0, 90, [("hold", 20, 70)])])
    run.process(1, None, 90)
    if every:
        run.wait(1, "mutex", "stat_lock", 10, 10, frame=2)
    run.wait(2, "mutex", "stat_lock", 20, 40, frame=4, holder=1)
    run.holds(1, "stat_lock", 1, 30)
    run.holds(2, "stat_lock", 1, 30)
    run.wait(1, "thread", "t2", 60, 90, frame=1)


def locked_partly(run):
    locked(run, every=False)


def met(run):
    """Both meet at a barrier at 50: t2 is the last. Then both work for 10."""
    run.thread(1, 0, 60, [("main", 0, 60)])
    run.thread(2, 0, 60, [("work", 0, 60)])
    run.process(1, None, 60)
    run.wait(1, "barrier", "b", 30, 50, frame=1)
    run.wait(2, "barrier", "b", 50, 50.001, frame=2)


def queued(run, items=10):
    """main makes an item in 4 and puts it (10 of them); t2 takes one and uses it in 6, and waits for the first alone."""
    puts = [4 * (i + 1) for i in range(items)]
    gets = [4 + 6 * i for i in range(items)]
    end = gets[-1] + 6
    run.process(1, None, end)
    run.thread(1, 0, end, [("main", 0, end, [("make", 4 * i, 4 * i + 4) for i in range(items)])])
    run.thread(2, 0, end, [("work", 0, end, [("use", at, at + 6) for at in gets])])
    put, get = run.frame(1, "put"), run.frame(run.frames[None, "work"], "get")
    run.lock("queue_lock", "mutex")
    for at in puts:
        run.wait(1, "mutex", "queue_lock", at, at, frame=put)
    run.wait(2, "mutex", "queue_lock", 0, 0, frame=get)
    run.wait(2, "condition", "not_empty", 0.001, 4, frame=get, mutex="queue_lock")
    for at in [4.0001] + gets[1:]:
        run.wait(2, "mutex", "queue_lock", at, at, frame=get)
    run.holds(1, "queue_lock", items, 0.00001 * items)
    run.holds(2, "queue_lock", items + 1, 0.00001 * items)
    run.wait(1, "thread", "t2", puts[-1] + 0.001, end, frame=1)


def timed(run):
    """main waits until t2 has worked for 60, looks around each 25, and then works for 10."""
    run.process(1, None, 70)
    run.thread(1, 0, 70, [("main", 0, 70, [("finish", 60.1, 70)])])
    run.thread(2, 0, 60, [("work", 0, 60)])
    run.lock("lock", "mutex")
    for start, end, ended in (0.001, 25, "given up"), (25.02, 50, "given up"), (50.03, 60, "taken"):
        run.wait(1, "mutex", "lock", start, start, frame=1)
        run.wait(1, "condition", "done", start, end, frame=1, mutex="lock", ended=ended)
        run.wait(1, "mutex", "lock", end, end, frame=1)
    run.wait(2, "mutex", "lock", 59.999, 59.999, frame=run.frames[None, "work"])
    run.holds(1, "lock", 6, 0.05)
    run.holds(2, "lock", 1, 0.0005)


def let_go(run):
    """t2 waits for a signal, which main sends after 60 of work; it joins t2 0.1 later, which goes on then. t3 sleeps for
    30 and ends, while main waits for it from 10 on."""
    run.process(1, None, 61)
    run.thread(1, 0, 61, [("main", 0, 61, [("work", 35, 60)])])
    run.thread(2, 1, 60.3, [("waits", 1, 60.3)])
    run.thread(3, 1, 31.1, [("sleeps", 1, 31.1)])
    run.gap(2, 1, 59.2, 59.2, frame=run.frames[None, "waits"])
    run.gap(3, 1, 30, 30, frame=run.frames[None, "sleeps"])
    run.wait(1, "thread", "t3", 10, 31.2, frame=1)
    run.wait(1, "thread", "t2", 60.1, 60.4, frame=1)


def asleep(run):
    """Five times: fetch sleeps for 10, and main works for 4."""
    end = 5 * 14
    run.process(1, None, end)
    run.thread(1, 0, end, [("main", 0, end, [("fetch", 14 * i, 14 * i + 10) for i in range(5)])])
    for i in range(5):
        run.gap(1, 14 * i, 10, 10, frame=2)


def many(run):
    """main draws 8 times for 10; then 20 of its own."""
    run.process(1, None, 100)
    run.thread(1, 0, 100, [("main", 0, 100, [("draw", 10 * i, 10 * i + 10) for i in range(8)])])


def forked(run):
    """A child process from 10 to 70, for which main waits from 20 to 70.1."""
    run.process(2, 1, 70)
    run.thread(1, 0, 100, [("main", 0, 100)])
    run.thread(2, 10, 70, [("child", 10, 70)], process=2)
    run.gap(1, 20, 50.1, 50.1, frame=1)


def piped(run):
    """Library calls were recorded: t2 reads what main writes at 40, then works to 60; main joins it."""
    run.process(1, None, 60)
    run.thread(1, 0, 60, [("main", 0, 60, [("make", 0, 40), ("write", 40, 40.001)])])
    run.thread(2, 0, 60, [("work", 0, 60, [("read", 0, 40.002)])])
    run.gap(2, 0, 40.002, 40.002, frame=run.frames[run.frames[None, "work"], "read"])
    run.wait(1, "thread", "t2", 40.002, 60, frame=1)


def unknown(run):
    """t2 waits for a semaphore: main or t3 posted it. Locks were recorded."""
    run.thread(1, 0, 100, [("main", 0, 100)])
    run.thread(2, 0, 90, [("work", 0, 90)])
    run.thread(3, 0, 95, [("more", 0, 95)])
    run.wait(2, "semaphore", "s", 10, 50, frame=2)
    run.wait(1, "thread", "t3", 96, 96.001, frame=1)


def aside(run):
    """Two threads that compute for 40 on one processor: each is put aside for half of the time."""
    run.thread(1, 0, 80, [("main", 0, 80)])
    run.thread(2, 0, 80, [("work", 0, 80)])
    run.process(1, None, 80)
    for i in range(4):
        run.gap(1, 20 * i, 15, 0, 10, frame=1)
        run.gap(2, 20 * i, 15, 0, 10, frame=2)


def costly(run):
    """1000 calls whose hooks cost 1 us within and 1 us outside each."""
    run.thread(1, 0, 100, [("main", 0, 100, [("small", 0.1 * i, 0.1 * i + 0.01) for i in range(1000)])])
    run.insert("hook_costs", thread_id=1, first_call_id=1, last_call_id=1001, inside_ps=1000000, outside_ps=1000000)
    run.insert("run", key="hook_cost_ns", value=2 * MS)
    run.insert("run", key="hook_cost_error_ns", value=MS / 5)


made = Run(sys.argv[1], sys.argv[3])
globals()[sys.argv[2]](made)
made.finish()
