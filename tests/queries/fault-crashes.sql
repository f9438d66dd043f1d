-- positive: experiments 1 and 2 crashed at one place, by calls at two
-- negative: leaks, wrong output, clean errors
-- edge: the same stack with another signal is another row; a hang and a wrong free are told, too
.read tests/fixtures/small.sql
.read tests/fixtures/campaign.sql
