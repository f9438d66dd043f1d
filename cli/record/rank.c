/* The rank in a parallel job: see rank.h. */
#include "cli/record/rank.h"

#include "base/parts.h"

#include "cli/out/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    return length > 0 && length < 10 && strspn(text, "0123456789") == length;
}

bool rank_read(const char **rank, const char **ranks)
{
    /* A launcher inside a Slurm job sets its own; Slurm's then describe the launcher. */
    static const char *const variables[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                               {"PMI_RANK", "PMI_SIZE"},
                                               {"SLURM_PROCID", "SLURM_NTASKS"}};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        *rank = getenv(variables[i][0]);
        *ranks = getenv(variables[i][1]);
        if (is_number(*rank) && is_number(*ranks))
            return true;
    }
    return false;
}

int rank_path(const char *log, const char *rank, char *path, size_t size)
{
    const char *name = last_part(log), *dot = strrchr(name, '.');
    if (dot == NULL || dot == name)
        dot = log + strlen(log);
    int length = snprintf(path, size, "%.*s.%s%s", (int)(dot - log), log, rank, dot);
    return length >= 0 && (size_t)length < size ? 0 : fail("%s: the name is too long", log);
}
