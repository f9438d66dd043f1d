/* /proc/PID/stat: see process_stat.h. */
#include "cli/record/process_stat.h"

#include <stdio.h>
#include <string.h>

bool process_stat_read(long pid, struct process_stat *stat)
{
    char path[64], line[1024];
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    line[length] = 0;
    const char *after = strrchr(line, ')'); /* the name before it may hold anything */
    if (after == NULL ||
        sscanf(after + 1,
               " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld"
               " %*d %llu",
               &stat->state, &stat->flags, &stat->threads, &start) != 4)
        return false;
    stat->start = start;
    return true;
}
