-- positive: a signal in work at a block that was freed then, and a failed assert in parse
.read tests/fixtures/small.sql
INSERT INTO incidents(id, kind, signal, message, thread_id, call_id, frame_id, site_id, left_call_id, address, block_id, block_offset, ns) VALUES
  (1, 'signal', 11, 'SIGSEGV at address 0x6010: no memory there', 1, 9, 4, 6, NULL, 0x6010, 3, 16, 80000),
  (2, 'assert', NULL, 'parse.cc:9: parse: n > 0', 1, 6, 2, 5, NULL, NULL, NULL, NULL, 41000),
-- negative: the block was freed only later; and one behind the address
  (3, 'signal', 7, 'SIGBUS at address 0x6010', 2, 10, 5, 4, NULL, 0x6010, 3, 16, 74000),
  (4, 'signal', 11, 'SIGSEGV at address 0x7010', 2, 10, 5, 4, NULL, 0x7010, 3, 4112, 74001),
  (5, 'signal', 11, 'SIGSEGV at address 0x50f0', 2, 10, 5, 4, NULL, 0x50f0, 2, -16, 74002),
-- edge: outside any traced call; a return that went astray, at no place in the code
  (6, 'abort', 6, 'abort()', 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 10),
  (7, 'stack-smashed', 11, 'SIGSEGV; the stack was smashed', 1, 6, 2, NULL, 7, NULL, NULL, NULL, 49000);
