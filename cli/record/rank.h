/* The rank of this process in a parallel job, from the environment that its launcher set. */
#ifndef FISQL_CLI_RECORD_RANK_H
#define FISQL_CLI_RECORD_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* The rank and the number of ranks as OpenMPI, MPICH and the like, or Slurm wrote them, borrowed
 * from the environment. Returns whether both are there and numbers. */
bool rank_read(const char **rank, const char **ranks);

/* The log of a rank: of run.bin, run.3.bin for rank 3. Returns 0, or 2 after saying that it is too
 * long. */
int rank_path(const char *log, const char *rank, char *path, size_t size);

#endif
