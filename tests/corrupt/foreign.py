#!/usr/bin/env python3
"""Hostile recordings of other tools, and damage at random.

  foreign.py seeds FOLDER        small sound JSON traces, for the fuzzer
  foreign.py hostile FOLDER      files that are wrong on purpose, each in its own way
  foreign.py flip FILE OUT SEED  a copy with some bytes changed, cut or put in again, by a number
"""
import os
import random
import sys

from perfetto import BASE, BEGIN, COUNTER, END, data, double, event, number, packet, varint

EVENTS = """[
{"ph":"M","name":"process_name","pid":7,"args":{"name":"server"}},
{"ph":"B","name":"outer","pid":7,"tid":8,"ts":10,"args":{"path":"/a","size":12,"nested":{"list":[1,{"k":2.5}]}}},
{"ph":"X","name":"inner","pid":7,"tid":8,"ts":11.5,"dur":1.25},
{"ph":"i","name":"tick","pid":7,"tid":8,"ts":12,"s":"t","args":{"why":"x"}},
{"ph":"E","pid":7,"tid":8,"ts":13.0005},
{"ph":"b","cat":"net","name":"request","id2":{"local":"0x1"},"pid":"one","tid":"two","ts":1},
{"ph":"e","cat":"net","name":"request","id2":{"local":"0x1"},"pid":"one","tid":"two","ts":5},
{"ph":"C","name":"load","pid":7,"ts":14,"args":{"user":3,"idle":4.5}}]
"""


def seeds(folder):
    with open(os.path.join(folder, "events.json"), "w") as file:
        file.write(EVENTS)
    with open(os.path.join(folder, "object.json"), "w") as file:
        file.write('{"traceEvents":' + EVENTS + ',"displayTimeUnit":"ns"}')


def slice_json(name, start, length, **more):
    rest = "".join(f',"{key}":{value}' for key, value in more.items())
    return f'{{"ph":"X","name":{name},"ts":{start},"dur":{length}{rest}}}'


def hostile(folder):
    """NAME: bytes"""
    begin = '{"ph":"B","name":"b","ts":1},'
    files = {
        "times.json": "[" + ",".join(slice_json('"t"', start, length) for start in ("-1e300", "1e18", "-9e17", "0.0000000001", "1e-400", "99999999999999999999999")
                                      for length in ("1", "1e300", "-5", "0", "1e17")) + "]",
        "names.json": "[" + ",".join(slice_json(name, 1, 1) for name in ('""', '"a => b"', '"a\\u0000b"', '"\\u001b[31m"', '"%s%n"', "\"'; DROP TABLE calls; --\"",
                                      '"' + "x" * 100000 + '"', '"<script>"', '"\\ud800"', '"a\\nb"')) + "]",
        "arguments.json": "[" + slice_json('"f"', 1, 1, args="{" + ",".join(f'"k{i}":{i}' for i in range(1000)) + "}") + ","
                          + slice_json('"f"', 3, 1, args='{"a":' + '{"b":' * 500 + "1" + "}" * 501) + ","
                          + slice_json('"g"', 5, 1, args='{"' + "n" * 5000 + '":"' + "v" * 100000 + '","":1,"a\\nb":2,"a":1e999,"c":-0}') + "]",
        "begins.json": "[" + begin * 50000 + '{"ph":"E","ts":2}]',
        "ends.json": "[" + '{"ph":"E","ts":2},' * 50000 + begin[:-1] + "]",
        "ids.json": "[" + ",".join(f'{{"ph":"b","name":"x","id":{i},"ts":{i}}}' for i in range(20000)) + "]",
        "types.json": '[{"ph":1,"name":[],"ts":{},"dur":"x","pid":null,"tid":true,"args":[1,2]},{"ph":"X","ts":[1],"dur":{"a":1}},1,"x",null,[{"ph":"X"}],{}]',
        "twice.json": '{"traceEvents":[],"traceEvents":[' + slice_json('"a"', 1, 1) + '],"traceEvents":3}',
        "bytes.json": '[{"ph":"X","name":"' + "\x80\xff\xc3" + '","ts":1,"dur":1}]',
        "order.json": "[" + ",".join(slice_json('"o"', (i * 7919) % 1000, 1000 - i) for i in range(1000)) + "]",
        "counters.json": '[{"ph":"C","name":"c","ts":1,"args":{' + ",".join(f'"s{i}":{i}' for i in range(100)) + "}},"
                         + '{"ph":"C","name":"c","ts":"x"},{"ph":"C","ts":1,"args":"text"},{"ph":"C","name":"c","ts":2,"args":{"a":"text","b":null}}]',
    }
    for name, text in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text.encode("latin-1"))
    uuid = 1
    chain = b"".join(packet(data(60, number(1, i) + number(5, i + 1))) for i in range(1, 1000))
    traces = {
        "loop.perfetto": packet(data(60, number(1, 1) + number(5, 2))) + packet(data(60, number(1, 2) + number(5, 1))) + packet(event(BEGIN, data(23, "x"), track=1), at=BASE),
        "chain.perfetto": chain + packet(event(BEGIN, data(23, "x"), track=1), at=BASE),
        "times.perfetto": b"".join(packet(event(kind, data(23, "x"), track=uuid), at=at) for at in (0, (1 << 64) - 1, 1 << 62, BASE) for kind in (BEGIN, END, COUNTER, 9, 0)),
        "clocks.perfetto": packet(data(6, b"".join(data(1, number(1, clock) + number(2, at) + number(3, 1) + number(4, unit)) for clock, at, unit in
                                                    ((6, BASE, 1), (64, 1 << 63, 1 << 63), (65, 0, 0), (3, (1 << 64) - 1, 10**9))))) +
                           b"".join(packet(number(58, clock), event(BEGIN, data(23, "x"), track=1), at=at) for clock in (3, 64, 65, 200) for at in (0, 5, 1 << 63)),
        "nested.perfetto": packet(event(BEGIN, data(23, "x"), data(4, deep_annotation(2000)), track=1), at=BASE),
        "counter.perfetto": packet(data(60, number(1, 5) + data(2, "") + data(8, number(4, 1 << 63) + number(5, 1)))) +
                            packet(event(COUNTER, number(30, 1 << 63), track=5), at=BASE) + packet(event(COUNTER, double(44, float("nan")), track=5), at=BASE),
        "empty.perfetto": data(1, b"") * 100 + packet(event(BEGIN, track=1), at=BASE),
        "wires.perfetto": data(1, varint(8 << 3 | 2) + varint(2) + b"ab" + varint(11 << 3) + varint(3) + varint(10 << 3 | 5) + b"abcd") * 3,
        "bomb.perfetto": data(1, data(50, bomb())),
        "packets.perfetto": data(1, data(50, __import__("zlib").compress(data(1, data(50, __import__("zlib").compress(b"x" * 1000)))))),
    }
    for name, content in traces.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def deep_annotation(levels):
    content = data(10, "leaf") + number(4, 1)
    for _ in range(levels):
        content = data(10, "d") + data(11, content)
    return content


def bomb():
    """A gigabyte of zeros, packed."""
    import zlib
    packer = zlib.compressobj(9)
    out = b"".join(packer.compress(bytes(1 << 20)) for _ in range(256))
    return out + packer.flush()


def flip(path, output, seed):
    with open(path, "rb") as file:
        content = bytearray(file.read())
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(content))
        kind = chance.randrange(4)
        if kind == 0:
            content[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            content[at] = chance.choice(b'\x00\xff\x7f\x80{}[]",:0eE-')
        elif kind == 2:
            del content[at:at + chance.randint(1, 40)]
        else:
            content[at:at] = content[at:at + chance.randint(1, 40)]
        if not content:
            content = bytearray(b"{")
    with open(output, "wb") as file:
        file.write(content)


if __name__ == "__main__":
    if sys.argv[1] == "flip":
        flip(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        {"seeds": seeds, "hostile": hostile}[sys.argv[1]](sys.argv[2])
