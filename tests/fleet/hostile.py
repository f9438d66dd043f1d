#!/usr/bin/env python3
"""Gives a run's functions names, and its host one, that break what takes text for more than text: hostile.py DB"""
import sqlite3, sys

database = sqlite3.connect(sys.argv[1])
database.text_factory = bytes
names = [b"a'; DROP TABLE runs; --", b'b"\\\n\t\r', b"c\x00d", b"e\xff\xfe\x80", "f\u202eg".encode(), b"%s%n:runs?1{x:Int64}"]
ids = [row[0] for row in database.execute("SELECT id FROM functions WHERE instrumented ORDER BY id")]
for name, id in zip(names, ids):
    database.execute("UPDATE functions SET name = CAST(? AS TEXT), full_name = NULL WHERE id = ?", (name, id))
database.execute("UPDATE run SET value = CAST(? AS TEXT) WHERE key = 'host'", (b"h'\"\\\n\xff",))
database.execute("UPDATE run SET value = 'ffffffffffffffff' WHERE key = 'run_id'")
database.commit()
