"""A log of calls with values at random, of every kind: random_values.py SEED CALLS THREADS LOG. The calls lie up to
a thousand deep within one another, and some last longer than the loader's window is wide."""
import random
import sys

import log

FUNCTIONS = [0x1A000 + 0x100 * i for i in range(8)]


class Thread:
    def __init__(self, pick, number):
        self.failures = random.Random(number)
        self.pick, self.number, self.sequence, self.before = pick, number, 0, 0
        self.tick, self.stack, self.chunks = log.START + 7 * number, [], []
        self.begin()

    def begin(self):
        self.words = [unit for i, address in enumerate(FUNCTIONS) for unit in log.near(i + 1, address, log.SHELL)]
        self.entered, self.opened, self.start = 0, list(self.stack), self.tick

    def end(self):
        opened = [(FUNCTIONS[function], log.SHELL, tick) for function, tick in self.opened[-256:]]
        self.chunks.append(log.events(self.words, self.entered, opened=opened, open_depth=len(self.opened),
                                      tick=self.start, clock=(self.tick, self.tick), thread=self.number,
                                      tid=100 + self.number, sequence=self.sequence, first_call=self.before))
        self.before += self.entered
        self.sequence += 1
        self.begin()

    def happens(self, *events):
        self.words += [unit for event in events for unit in event]

    def value(self, kind):
        pick = self.pick
        if pick.random() < 0.02:
            return pick.choice([log.ABSENT, log.UNREADABLE, log.NO_ROOM])
        if kind == 0:
            return pick.randrange(5)
        if kind == 1:
            return pick.choice([pick.randrange(-3, 200), pick.randrange(1 << 40), -pick.randrange(1 << 33)])
        if kind == 2:
            return log.pointer(pick.choice([0, 0x7F0000001000 + 16 * pick.randrange(100)]))
        if kind == 3:
            return log.text(pick.choice(["a", "b\n", "xé", "long" * 20, b"\xff\xfe", ""]), cut=pick.random() < 0.1)
        if kind == 4:
            return pick.choice([log.real(pick.choice([0.5, 1.25, -3.0]), "f"), log.real(round(pick.random(), 4))])
        if kind == 5:
            return pick.choice([1 << 63, 5, pick.randrange(1 << 63, 1 << 64)])
        if kind == 6:
            return log.struct_bytes(bytes([pick.randrange(3), 7]))
        return int(pick.paretovariate(0.6)) % 100000

    def enter(self, delta):
        function = self.pick.randrange(8)
        self.entered += 1
        self.stack.append((function, self.tick))
        self.happens(log.enter(function + 1, delta))
        if function % 4 and self.pick.random() < 0.97:
            self.happens(log.arguments(*[self.value((function + i + 1) % 8) for i in range(function % 4)]))

    def leave(self, delta):
        function, _ = self.stack.pop()
        self.happens(log.leave(delta))
        if function != 3 and self.pick.random() < 0.98:
            errno = [self.failures.choice([2, 9, 13, 4095])] if self.failures.random() < 0.1 else []
            self.happens(log.result(self.value(function), *errno))

    def unwind(self, delta):
        calls = self.pick.randrange(1, min(len(self.stack), 40))
        del self.stack[-calls:]
        self.happens(log.unwind(calls, delta))

    def run(self, calls):
        left = calls
        while left or self.stack:
            if len(self.words) > 20000:
                self.end()
            delta = self.pick.randrange(1, 30)
            self.tick += delta
            deeper = self.pick.random() < (0.5005 if left // 3000 % 3 else 0.62)
            if left and (deeper or not self.stack):
                left -= 1
                self.enter(delta)
            elif len(self.stack) > 3 and self.pick.random() < 0.01:
                self.unwind(delta)
            else:
                self.leave(delta)
        self.end()
        return self.chunks


def main():
    seed, calls, threads = map(int, sys.argv[1:4])
    pick = random.Random(seed)
    chunks = [log.program()]
    for number in range(threads):
        chunks += Thread(pick, number).run(calls)
    with open(sys.argv[4], "wb") as file:
        file.write(b"".join(chunks))


main()
