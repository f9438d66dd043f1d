-- positive: three crashes of one stack, two of them by one signal; a wrong free, a hang, wrong output, a leak
-- negative: experiments 10 to 12 went well or were not reached; 13 was not run
-- edge: equal crash stacks of another signal, and wrong output without a stack from other calls, are rows of their own
.read tests/fixtures/small.sql
.read tests/fixtures/campaign.sql
