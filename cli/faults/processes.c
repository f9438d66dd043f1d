/* The processes that a program leaves behind: see processes.h. */
#include "cli/faults/processes.h"

#include "base/array.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct process {
    pid_t pid, parent;
    bool below;
};

struct list {
    struct process *items;
    size_t count, room;
};

/* Parent of a process; 0 if it is gone. */
static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = 0;
    /* PID (NAME) STATE PARENT: the name may hold anything */
    const char *after = strrchr(text, ')');
    return after != NULL && strlen(after) > 4 ? (pid_t)strtol(after + 4, NULL, 10) : 0;
}

static void read_all(struct list *list)
{
    DIR *folder = opendir("/proc");
    struct error error;
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0]) ||
            array_reserve(&list->items, &list->room, list->count + 1, &error) != 0)
            continue;
        list->items[list->count++] = (struct process){(pid_t)strtol(entry->d_name, NULL, 10),
                                                      parent_of(entry->d_name), false};
    }
    closedir(folder);
}

static bool is_below(const struct list *list, pid_t root, pid_t parent)
{
    if (parent == root)
        return true;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].pid == parent)
            return list->items[i].below;
    return false;
}

/* Lists all processes and which of them are below `root`. The caller frees the items. */
static struct list all_below(pid_t root)
{
    struct list list = {.items = NULL};
    read_all(&list);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < list.count; i++) {
            struct process *process = &list.items[i];
            if (!process->below && is_below(&list, root, process->parent))
                process->below = more = true;
        }
    }
    return list;
}

void processes_kill(pid_t root, pid_t spared)
{
    struct list list = all_below(root);
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].below && list.items[i].pid != spared)
            kill(list.items[i].pid, SIGKILL);
    free(list.items);
}

bool processes_any(pid_t root)
{
    struct list list = all_below(root);
    bool any = false;
    for (size_t i = 0; i < list.count; i++)
        any = any || list.items[i].below;
    free(list.items);
    return any;
}

void processes_end(void)
{
    const struct timespec pause = {0, 1000000};
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid > 0)
            continue;
        if (pid < 0 && errno != EINTR)
            return; /* nothing is left */
        processes_kill(getpid(), 0);
        nanosleep(&pause, NULL);
    }
}
