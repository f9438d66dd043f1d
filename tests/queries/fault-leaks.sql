-- positive: experiments 4 and 5 leaked at one place: the larger one is told, with the first experiment
-- negative: experiment 7 left nothing
-- edge: experiment 6 leaked besides printing something else
.read tests/fixtures/small.sql
.read tests/fixtures/campaign.sql
