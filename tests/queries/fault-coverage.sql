-- positive: unused and repair ran in experiments alone, unused in two
-- negative: parse ran without faults; of_a_library has no hooks
-- edge: never_run was reached by none
.read tests/fixtures/small.sql
.read tests/fixtures/campaign.sql
