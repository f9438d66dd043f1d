/* /proc/PID: see process_stat.h. */
#include "cli/record/process_stat.h"

#include <stdio.h>
#include <string.h>

/* name: "/stat", for example. */
static FILE *open_of(long pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld%s", pid, name);
    return fopen(path, "re");
}

bool process_stat_read(long pid, struct process_stat *stat)
{
    char line[1024];
    unsigned long long start = 0;
    FILE *file = open_of(pid, "/stat");
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

void process_times_read(long pid, struct process_times *times)
{
    char line[256];
    unsigned long long ran = 0, queued = 0, waits = 0, preemptions = 0;
    FILE *file = open_of(pid, "/schedstat");
    if (file != NULL) {
        if (fscanf(file, "%llu %llu", &ran, &queued) != 2)
            ran = queued = 0;
        fclose(file);
    }
    file = open_of(pid, "/status");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "voluntary_ctxt_switches: %llu", &waits) != 1)
            sscanf(line, "nonvoluntary_ctxt_switches: %llu", &preemptions);
    if (file != NULL)
        fclose(file);
    *times = (struct process_times){ran, queued, waits, preemptions};
}

void process_signals_read(long pid, struct process_signals *signals)
{
    char line[256], state;
    unsigned long long mask;
    *signals = (struct process_signals){0};
    FILE *file = open_of(pid, "/status");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "SigPnd: %llx", &mask) == 1 || sscanf(line, "ShdPnd: %llx", &mask) == 1)
            signals->pending |= mask;
        else if (sscanf(line, "SigIgn: %llx", &mask) == 1)
            signals->ignored = mask;
        else if (sscanf(line, "State: %c", &state) == 1)
            signals->stopped = state == 'T' || state == 't';
    }
    if (file != NULL)
        fclose(file);
}
