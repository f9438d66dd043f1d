/* Programs that are being started: see late_images.h. */
#include "cli/record/late_images.h"

#include "cli/record/process_stat.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_SECONDS 2

/* Is the process alive and young? */
static bool is_young(const char *pid)
{
    struct process_stat stat;
    struct timespec now;
    if (!process_stat_read(strtol(pid, NULL, 10), &stat) || stat.state == 'Z' || stat.state == 'X')
        return false;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec < stat.start / (unsigned long)sysconf(_SC_CLK_TCK) + YOUNG_SECONDS;
}

static bool has_setting(const char *pid, const char *setting)
{
    char path[64], *entry = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && getdelim(&entry, &size, 0, file) > 0)
        found = strcmp(entry, setting) == 0;
    free(entry);
    if (file != NULL)
        fclose(file);
    return found;
}

bool late_images(const char *setting)
{
    DIR *processes = opendir("/proc");
    bool found = false;
    for (struct dirent *entry; processes != NULL && !found && (entry = readdir(processes)) != NULL;)
        found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_young(entry->d_name) &&
                has_setting(entry->d_name, setting);
    if (processes != NULL)
        closedir(processes);
    return found;
}
