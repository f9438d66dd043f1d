#!/bin/bash
# The ranks of an MPI job: each has a log of its own and knows its rank; fisql fleet imbalance compares them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
cat >ranks.c <<'C'
#ifdef WITH_MPI
#include <mpi.h>
#else
#include <stdlib.h>
#endif
static volatile unsigned sink;
__attribute__((noinline)) static void step(int rows) { for (int i = 0; i < rows * 1000; i++) sink += (unsigned)i; }
int main(int argc, char **argv)
{
    int rank, size;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#else
    rank = atoi(argv[1]), size = atoi(argv[2]);
#endif
    for (int i = 0; i < (rank == size - 1 ? 300 : 100); i++) step(10);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
C
# ranks_are WHAT: run.0.bin ... run.3.bin, pushed
ranks_are() {
    same "$1: a log of each rank" "run.0.bin run.1.bin run.2.bin run.3.bin" "$(echo run.*bin)"
    for rank in 0 1 2 3; do "$fisql" load -q run.$rank.bin; done
    same "$1: each knows its rank" "0|4 1|4 2|4 3|4" "$(for rank in 0 1 2 3; do
        sql run.$rank.db "SELECT (SELECT value FROM run WHERE key = 'rank') || '|' || (SELECT value FROM run WHERE key = 'ranks')"
    done | xargs)"
    rm -f fleet.db
    "$fisql" push -q fleet.db run.?.db --label job=1
    same "$1: ranks are labels" "$(sql run.2.db "SELECT value FROM run WHERE key = 'run_id'")" "$("$fisql" fleet runs -p runs=rank=2 --format json | jq -r '.[0].run')"
    # Which rank takes most time is the scheduler's to say where four share two processors: the raw rows tell it.
    slowest=$(for rank in 0 1 2 3; do
        echo "$(sql run.$rank.db "SELECT self_cpu_ns FROM functions WHERE name = 'step'") $rank"
    done | sort -k1,1nr -k2,2n | head -1 | cut -d' ' -f2)
    same "$1: imbalance: the rank that takes most time, and the calls of each" "4 $slowest 100 300" \
        "$("$fisql" fleet imbalance -p runs=job=1 -p min_share=0 --format json | jq -r '.[] | select(.function == "step") | "\(.ranks) \(.slowest_rank) \(.min_calls) \(.max_calls)"')"
}
build gcc ranks -O1 -g ranks.c
for names in "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE" "PMI_RANK PMI_SIZE" "SLURM_PROCID SLURM_NTASKS"; do
    rm -f run.*
    for rank in 0 1 2 3; do
        env "${names% *}=$rank" "${names#* }=4" "$fisql" record -q ./ranks $rank 4
    done
    ranks_are "${names%%_*}"
done
env PMI_RANK=1 PMI_SIZE=2 "$fisql" record -q -o ./a.b/c 2>err ./ranks 0 1
has "a name without an ending gets the rank behind it" "./a.b/c.1" "$(cat err)"
env PMI_RANK=-1 PMI_SIZE=x "$fisql" record -q -o plain.bin ./ranks 0 1
same "what is no rank is none" "plain.bin" "$(echo plain*)"
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
    build mpicc ranks -DWITH_MPI -O1 -g ranks.c
    rm -f run.*
    mpirun --allow-run-as-root --oversubscribe -n 4 "$fisql" record -q ./ranks 2>err
    same "mpirun: ends with 0" 0 "$?"
    ranks_are mpirun
else
    report 0 "skipped: no mpicc and mpirun here (tests/setup check installs Debian's OpenMPI)"
fi
