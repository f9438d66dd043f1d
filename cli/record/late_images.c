/* Programs that are being started: see late_images.h. */
#include "cli/record/late_images.h"

#include "cli/out/clock.h"
#include "cli/record/process_stat.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define YOUNG_SECONDS 2
#define SECOND_NS UINT64_C(1000000000)
#define FLAG_KERNEL_THREAD 0x00200000u /* PF_KTHREAD of linux/sched.h */

/* Is it a program's process, alive, young, and not older than `since` (clock ticks)? Time in which
 * others ran does not count. */
static bool is_young(const char *pid, uint64_t since)
{
    struct process_stat stat;
    struct process_times times;
    if (!process_stat_read(strtol(pid, NULL, 10), &stat) || stat.state == 'Z' ||
        stat.state == 'X' || (stat.flags & FLAG_KERNEL_THREAD) != 0 || stat.start < since)
        return false;
    process_times_read(strtol(pid, NULL, 10), &times);
    uint64_t ticks_a_second = (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t age_ns =
        (uint64_t)clock_now_ns(CLOCK_BOOTTIME) - stat.start * (SECOND_NS / ticks_a_second);
    return age_ns < YOUNG_SECONDS * SECOND_NS + times.queued_ns;
}

/* Whether a file of NUL-terminated words has a word. */
enum words { WORDS_UNKNOWN, WORDS_NONE, WORDS_OTHERS, WORDS_HAVE };

static enum words words_of(const char *pid, const char *file_name, const char *word)
{
    char path[64], *entry = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "/proc/%.20s/%s", pid, file_name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return WORDS_UNKNOWN;
    enum words words = WORDS_NONE;
    while (words != WORDS_HAVE && getdelim(&entry, &size, 0, file) > 0)
        words = word != NULL && strcmp(entry, word) == 0 ? WORDS_HAVE : WORDS_OTHERS;
    free(entry);
    fclose(file);
    return words;
}

/* During exec a process has neither environment nor arguments for an instant, in which its parent
 * by vfork already goes on and may end. A process with arguments has its final environment: so we
 * read that once more. */
static bool may_have_setting(const char *pid, const char *setting)
{
    enum words words = words_of(pid, "environ", setting);
    if (words == WORDS_NONE && words_of(pid, "cmdline", NULL) == WORDS_NONE)
        return true;
    if (words == WORDS_NONE)
        words = words_of(pid, "environ", setting);
    return words == WORDS_HAVE;
}

bool late_images(const char *setting)
{
    struct process_stat own;
    /* What began before us is none of our program's. */
    uint64_t since = process_stat_read((long)getpid(), &own) ? own.start : 0;
    DIR *processes = opendir("/proc");
    bool found = false;
    for (struct dirent *entry; processes != NULL && !found && (entry = readdir(processes)) != NULL;)
        found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
                is_young(entry->d_name, since) && may_have_setting(entry->d_name, setting);
    if (processes != NULL)
        closedir(processes);
    return found;
}
