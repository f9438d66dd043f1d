/* Programs that are being recorded: see live_find.h. */
#include "cli/live/live_find.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/live/live_open.h"
#include "cli/out/amount.h"
#include "cli/out/say.h"
#include "live/live_threads.h"

static char *log_of(pid_t pid, const struct live_mapping *mapping)
{
    if (mapping->memory)
        return live_variable(pid, FISQL_VARIABLE_LOG);
    char *path = strdup(mapping->path);
    if (path != NULL)
        path[strlen(path) - strlen(".live")] = 0;
    return path;
}

/* Opens the log that the recorder has open, else the one that a process names. */
static void log_find(struct live_run *run, pid_t pid, const struct live_mapping *mapping)
{
    if (run->log_file < 0 && run->file >= 0 && run->recorder != 0) {
        char *name = NULL;
        run->log_epoch = run->source.area.writer.log_epoch;
        run->log_file = live_open_log(run->recorder, run->source.area.run_id, &name);
        if (name != NULL) {
            free(run->log);
            run->log = name;
        }
    }
    if (run->log == NULL && pid != run->recorder)
        run->log = log_of(pid, mapping);
    if (run->log_file < 0 && run->log != NULL && pid != run->recorder)
        run->log_file = live_open_named(pid, run->log);
}

int live_run_next_log(struct live_run *run)
{
    uint32_t epoch = run->source.area.writer.log_epoch;
    char *name = NULL;
    struct stat now, before;
    if (run->log_file < 0 || run->recorder == 0 || epoch % 2 != 0 || epoch == run->log_epoch)
        return -1;
    int log = live_open_log(run->recorder, run->source.area.run_id, &name);
    free(name);
    if (log >= 0 && fstat(log, &now) == 0 && fstat(run->log_file, &before) == 0 &&
        now.st_ino == before.st_ino) {
        close(log); /* not yet */
        return -1;
    }
    if (log >= 0)
        run->log_epoch = epoch;
    return log;
}

/* Has a process of the run this pid? */
static bool owns_slot(struct live_run *run, pid_t pid)
{
    for (uint32_t slot = 0; run->file >= 0 && slot < run->source.slots; slot++) {
        struct fisql_live_slot head;
        if (live_source_taken(&run->source, slot) && live_source_slot(&run->source, slot, &head) &&
            head.pid == (uint32_t)pid)
            return true;
    }
    return false;
}

static struct live_run *run_of(struct live_runs *runs, const struct live_mapping *mapping,
                               struct error *error)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].inode == mapping->inode && runs->items[i].device == mapping->device)
            return &runs->items[i];
    if (array_reserve(&runs->items, &runs->room, runs->count + 1, error) != 0)
        return NULL;
    struct live_run *run = &runs->items[runs->count];
    *run = (struct live_run){.inode = mapping->inode,
                             .device = mapping->device,
                             .file = -1,
                             .log_file = -1,
                             .name = strdup(mapping->path)};
    if (run->name == NULL)
        return NULL;
    runs->count++;
    return run;
}

/* Adds a process that maps an area. */
static int run_add(struct live_runs *runs, pid_t pid, const struct live_mapping *mapping,
                   struct error *error)
{
    pid_t recorder;
    struct live_run *run = run_of(runs, mapping, error);
    if (run == NULL)
        return error_set(error, "out of memory");
    int file = live_open_area(pid, mapping, &recorder);
    if (file >= 0 && run->file < 0) {
        run->file = file;
        if (live_source_open(&run->source, file, run->name, error) != 0) {
            close(file);
            run->file = -1;
            if (run->problem == NULL)
                run->problem = strdup(error->text);
        }
    } else if (file >= 0) {
        close(file);
    }
    if (recorder != 0 && (recorder != pid || !owns_slot(run, pid)))
        run->recorder = recorder;
    log_find(run, pid, mapping);
    if (run->recorder == pid)
        return 0;
    if (array_reserve(&run->pids, &run->pids_room, run->pids_count + 1, error) != 0)
        return -1;
    run->pids[run->pids_count++] = pid;
    return 0;
}

static bool is_pid(const char *name)
{
    for (const char *at = name; *at != 0; at++)
        if (!isdigit((unsigned char)*at))
            return false;
    return name[0] != 0 && strlen(name) < 10;
}

static bool may_ask(const struct stat *status)
{
    return geteuid() == 0 || status->st_uid == geteuid();
}

static int find_one(struct live_runs *runs, pid_t pid, struct error *error)
{
    struct live_mapping mapping;
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (stat(path, &status) != 0 || !may_ask(&status) || !live_mapping_find(pid, &mapping))
        return 0;
    return run_add(runs, pid, &mapping, error);
}

static int find_all(struct live_runs *runs, struct error *error)
{
    DIR *processes = opendir("/proc");
    int result = 0;
    if (processes == NULL)
        return error_set_file(error, ERROR_SYSTEM, "/proc", "%s", strerror(errno));
    for (struct dirent *entry; result == 0 && (entry = readdir(processes)) != NULL;) {
        struct live_mapping mapping;
        struct stat status;
        if (!is_pid(entry->d_name) || fstatat(dirfd(processes), entry->d_name, &status, 0) != 0 ||
            !may_ask(&status))
            continue;
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (live_mapping_find(pid, &mapping))
            result = run_add(runs, pid, &mapping, error);
    }
    closedir(processes);
    return result;
}

/* Says why no run has the pid. */
static int fail_pid(pid_t pid)
{
    char path[64], name[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    if (stat(path, &status) != 0)
        return fail("%d: there is no such process; `fisql ps` lists those that are recorded",
                    (int)pid);
    if (!may_ask(&status)) {
        const struct passwd *user = getpwuid(status.st_uid);
        snprintf(name, sizeof name, "%u", (unsigned)status.st_uid);
        return fail("%d: it belongs to another user (%s): only that user and root can ask it",
                    (int)pid, user != NULL ? user->pw_name : name);
    }
    live_command(pid, name, sizeof name);
    return fail("%d (%s): it is not being recorded; start it with `fisql record`, `fisql ps` lists "
                "those that are",
                (int)pid, name);
}

static bool run_has(const struct live_run *run, pid_t pid)
{
    bool has = run->recorder == pid;
    for (size_t i = 0; i < run->pids_count; i++)
        has |= run->pids[i] == pid;
    return has;
}

static void run_release(struct live_run *run)
{
    if (run->file >= 0)
        close(run->file);
    if (run->log_file >= 0)
        close(run->log_file);
    free(run->pids);
    free(run->name);
    free(run->log);
    free(run->problem);
}

void live_runs_release(struct live_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        run_release(&runs->items[i]);
    free(runs->items);
    *runs = (struct live_runs){0};
}

/* Says why we cannot read an area, with the pid that was asked for or that has it. */
static int closed_say(const struct live_run *run, pid_t pid)
{
    char text[512];
    int asked = (int)(pid != 0 || run->pids_count == 0 ? pid : run->pids[0]);
    bool root_can = run->recorder == 0 && geteuid() != 0;
    if (run->problem != NULL)
        snprintf(text, sizeof text, "%d: %s", asked, run->problem);
    else
        snprintf(text, sizeof text,
                 "%d: its live area cannot be opened, for the fisql record that holds it is gone%s",
                 asked, root_can ? ": root can, through /proc/PID/map_files" : "");
    if (pid != 0)
        return fail("%s", text);
    note("%s", text); /* the others can be read */
    return 0;
}

int live_runs_find(struct live_runs *runs, pid_t pid, bool say_closed)
{
    struct error error;
    *runs = (struct live_runs){0};
    if ((pid != 0 ? find_one(runs, pid, &error) : find_all(runs, &error)) != 0)
        return fail("%s", error.text);
    size_t kept = 0;
    int status = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct live_run *run = &runs->items[i];
        bool has = pid != 0 && run_has(run, pid);
        if ((has || (pid == 0 && say_closed)) && run->file < 0)
            status = closed_say(run, pid);
        if (run->file >= 0 && (pid == 0 || has))
            runs->items[kept++] = *run;
        else
            run_release(run);
    }
    runs->count = kept;
    return status != 0 || pid == 0 || kept != 0 ? status : fail_pid(pid);
}

/* The area must belong to the log's owner: no other process adds to the log. */
struct live_run *live_runs_of_log(const struct live_runs *runs, const char *path)
{
    struct stat own, other, area;
    if (stat(path, &own) != 0)
        return NULL;
    for (size_t i = 0; i < runs->count; i++) {
        struct live_run *run = &runs->items[i];
        if (run->log_file >= 0 && fstat(run->log_file, &other) == 0 && own.st_ino == other.st_ino &&
            own.st_dev == other.st_dev && fstat(run->file, &area) == 0 && area.st_uid == own.st_uid)
            return run;
    }
    return NULL;
}

void live_command(pid_t pid, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, size - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == 0)
            text[i] = ' ';
    text[length] = 0;
    if (length == 0)
        snprintf(text, size, "?");
}

bool live_records(const struct live_run *run, pid_t pid)
{
    char path[64];
    struct stat own, other;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    if (stat(path, &own) != 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)run->recorder);
    return run->recorder == 0 || stat(path, &other) != 0 || own.st_ino != other.st_ino ||
           own.st_dev != other.st_dev;
}

void live_runs_say(const struct live_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        struct live_images images;
        if (live_images_read(&images, &runs->items[i].source, NULL) != 0)
            return;
        for (size_t k = 0; k < images.count; k++) {
            char command[256];
            live_command((pid_t)images.items[k].pid, command, sizeof command);
            note("%u: %s", images.items[k].pid, command);
        }
        free(images.items);
    }
}

int live_pid_parse(const char *text, pid_t *pid)
{
    int64_t number = 0;
    if (!amount_count(text, &number) || number <= 0 || number > INT32_MAX)
        return fail("%s: not the number of a process; `fisql ps` lists those that are recorded",
                    text);
    *pid = (pid_t)number;
    return 0;
}

/* Adds the modules of a process. */
static int modules_add(uint32_t pid, char ***paths, size_t *count, size_t *room)
{
    char path[64], *line = NULL;
    size_t line_room = 0;
    int result = 0;
    struct error error;
    snprintf(path, sizeof path, "/proc/%u/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps != NULL && result == 0 && getline(&line, &line_room, maps) > 0) {
        char rights[8];
        int at = 0;
        size_t known = 0;
        if (sscanf(line, "%*s %7s %*s %*s %*s %n", rights, &at) != 1 || rights[2] != 'x' ||
            line[at] != '/')
            continue;
        line[strcspn(line, "\n")] = 0;
        while (known < *count && strcmp((*paths)[known], line + at) != 0)
            known++;
        if (known < *count)
            continue;
        result = array_reserve(paths, room, *count + 1, &error);
        if (result == 0 && ((*paths)[*count] = strdup(line + at)) != NULL)
            ++*count;
    }
    if (maps != NULL)
        fclose(maps);
    free(line);
    return result;
}

int live_modules(struct live_run *run, char ***paths, size_t *count)
{
    struct live_images images;
    struct error error;
    size_t room = 0;
    *paths = NULL;
    *count = 0;
    int result = live_images_read(&images, &run->source, &error);
    for (size_t i = 0; result == 0 && i < images.count; i++)
        result = modules_add(images.items[i].pid, paths, count, &room);
    free(images.items);
    return result == 0 ? 0 : fail("out of memory");
}

bool live_run_is_recorded(const struct live_run *run)
{
    struct live_runs runs;
    bool found = false;
    if (live_runs_find(&runs, 0, false) != 0)
        return false;
    for (size_t i = 0; i < runs.count; i++)
        found |= runs.items[i].inode == run->inode && runs.items[i].device == run->device;
    live_runs_release(&runs);
    return found;
}
