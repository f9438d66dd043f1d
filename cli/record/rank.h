/* Which rank of a parallel job this process is, by what its launcher put into the environment. */
#ifndef FISQL_CLI_RECORD_RANK_H
#define FISQL_CLI_RECORD_RANK_H

#include <stdbool.h>
#include <stddef.h>

/* The rank and the number of ranks as the launcher wrote them, borrowed from the environment: of OpenMPI,
 * MPICH and its like, Slurm. Returns whether there are such, numbers both. */
bool rank_read(const char **rank, const char **ranks);

/* The log of a rank: run.bin is run.3.bin for rank 3. Returns 0, or 2 after saying that it is too long. */
int rank_path(const char *log, const char *rank, char *path, size_t size);

#endif
