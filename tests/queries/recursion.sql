-- positive: ns::next called itself; negative: parse, through ns::next, which was open more often
.read tests/fixtures/small.sql
UPDATE function_stats SET recursive_calls = 2, direct_recursive_calls = 2, nesting_max = 3, nested_call_id = 5 WHERE function_id = 3;
UPDATE function_stats SET recursive_calls = 1, direct_recursive_calls = 0, nesting_max = 2, nested_call_id = 6 WHERE function_id = 2;
INSERT INTO recursions VALUES (3, '3', 4), (2, '2 3', 6);
-- negative: main is not recursive
-- edge: work, some of whose recursive calls are direct, without a cycle kept
UPDATE function_stats SET recursive_calls = 2, direct_recursive_calls = 1, nesting_max = 2, nested_call_id = 9 WHERE function_id = 4;
