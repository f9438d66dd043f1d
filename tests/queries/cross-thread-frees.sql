-- positive: work's block, freed by the other thread
.read tests/fixtures/small.sql
-- negative: parse's block, freed by its own thread
-- edge: threads of one name are told apart; a nameless thread, outside any traced call
INSERT INTO threads(id, process_id, tid, name, start_ns, end_ns, first_call_id, last_call_id, calls, counted_calls,
    raw_self_ns, self_ns) VALUES
  (3, 1, 102, NULL, 0, 10, NULL, NULL, 0, 0, 0, 0), (4, 1, 103, 'worker', 0, 10, NULL, NULL, 0, 0, 0, 0);
INSERT INTO block_flows VALUES (3, 1, NULL, NULL, 1, 3, 2, 200, 50, 30, 0, 1, NULL);
-- negative: a call that freed one alone freed nothing together
INSERT INTO block_groups(stack_id, flow_id, by_caller, blocks, call_id) SELECT stack_id, id, 0, blocks, 4 FROM block_flows WHERE free_frame_id IS NOT NULL;
-- parameters: min_blocks=1
