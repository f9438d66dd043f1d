/* Opening live areas and logs of other processes: see live_open.h. */
#include "cli/live/live_open.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file_look.h"
#include "base/parts.h"

#define MAPS_BUFFER 65536u /* for a file of /proc, which the kernel gives a page at a time */

static const char memory_name[] = "/memfd:fisql-live";

/* ---- what a process has mapped ---- */

static bool line_read(char *line, struct live_mapping *mapping)
{
    uint64_t offset;
    unsigned major, minor;
    char rights[8];
    int at = 0;
    const char *space = strchr(line, ' '); /* rights follow */
    if (space == NULL || strncmp(space, " rw", 3) != 0 || space[4] != 's')
        return false;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
               &mapping->start, &mapping->end, rights, &offset, &major, &minor, &mapping->inode,
               &at) != 7 ||
        offset != 0 || line[at] != '/')
        return false;
    line[strcspn(line, "\n")] = 0;
    mapping->device = makedev(major, minor);
    snprintf(mapping->path, sizeof mapping->path, "%s", line + at);
    mapping->memory = strncmp(mapping->path, memory_name, sizeof memory_name - 1) == 0;
    return mapping->memory || has_ending(mapping->path, ".live");
}

bool live_mapping_find(pid_t pid, struct live_mapping *mapping)
{
    char path[64], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    if (maps != NULL)
        setvbuf(maps, NULL, _IOFBF, MAPS_BUFFER);
    while (maps != NULL && !found && getline(&line, &room, maps) > 0)
        found = line_read(line, mapping);
    if (maps != NULL)
        fclose(maps);
    free(line);
    return found;
}

/* ---- whom to believe ---- */

/* The owner of /proc/PID is no proof: it is root for all processes that may not be dumped. */
static bool is_our_users(pid_t pid)
{
    char path[64], line[256];
    unsigned ids[4] = {0};
    bool read = false;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && !read && fgets(line, sizeof line, file) != NULL)
        read = sscanf(line, "Uid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4;
    if (file != NULL)
        fclose(file);
    return read && ids[0] == geteuid() && ids[1] == geteuid() && ids[2] == geteuid() &&
           ids[3] == geteuid();
}

/* The number of the file's mount; -1 = not known. Asks nobody but the kernel. */
static long mount_of(int looked)
{
    char path[64], line[256];
    long mount = -1;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", looked);
    FILE *file = fopen(path, "re");
    while (file != NULL && mount < 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "mnt_id: %ld", &mount) != 1)
            mount = -1;
    if (file != NULL)
        fclose(file);
    return mount;
}

/* Does a user's process serve this mount, or may it? The line ends with "- TYPE SOURCE OPTIONS". */
static bool mount_is_users(const char *line)
{
    const char *type = strstr(line, " - ");
    return type == NULL ||
           (strncmp(type + 3, "fuse", 4) == 0 && strstr(type, ",user_id=0,") == NULL);
}

/* May we ask the file's system about it? One that is not mounted here is another namespace's. */
static bool may_ask_mount(int looked)
{
    long mount = mount_of(looked), number;
    char *line = NULL;
    size_t room = 0;
    bool known = false, users = true;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    while (mount >= 0 && mounts != NULL && !known && getline(&line, &room, mounts) > 0)
        if (sscanf(line, "%ld ", &number) == 1 && number == mount) {
            known = true;
            users = mount_is_users(line);
        }
    if (mounts != NULL)
        fclose(mounts);
    free(line);
    if (known)
        return !users;
    struct statfs system;
    return fstatfs(looked, &system) == 0 && system.f_type != FUSE_SUPER_MAGIC;
}

/* ---- opening ---- */

/* Opens a link of /proc for reading if it leads to a regular file. May fill *status in either
 * case. */
static int open_link(const char *path, bool believed, struct stat *status)
{
    *status = (struct stat){0};
    int file = -1;
    int looked = open(path, O_PATH | O_CLOEXEC);
    if (looked < 0)
        return -1;
    if ((believed || may_ask_mount(looked)) && fstat(looked, status) == 0 &&
        S_ISREG(status->st_mode))
        file = file_look_open(looked, O_RDONLY);
    close(looked);
    return file;
}

/* The device of memory files. */
static bool memory_device(dev_t *device)
{
    struct stat status;
    int memory = memfd_create("fisql-look", MFD_CLOEXEC);
    bool known = memory >= 0 && fstat(memory, &status) == 0;
    if (known)
        *device = status.st_dev;
    if (memory >= 0)
        close(memory);
    return known;
}

/* Opens a process's descriptor if it is the mapped memory. */
static int open_memory(pid_t pid, int descriptor, const struct live_mapping *mapping)
{
    char path[64];
    struct stat status;
    dev_t device;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, descriptor);
    if (!memory_device(&device) || mapping->device != device)
        return -1;
    int looked = file_look(path, 0, &status);
    bool same = looked >= 0 && S_ISREG(status.st_mode) && status.st_dev == device &&
                (uint64_t)status.st_ino == mapping->inode;
    int file = same ? file_look_open(looked, O_RDONLY) : -1;
    if (looked >= 0)
        close(looked);
    return file;
}

/* Calls `take` with each descriptor whose link begins with the prefix, until it returns a file. */
struct descriptors {
    pid_t pid;
    const char *prefix;
    int (*take)(void *context, pid_t pid, int descriptor, const char *target);
    void *context;
};

static int descriptors_go(const struct descriptors *descriptors)
{
    char path[64 + 256], target[PATH_MAX];
    int file = -1;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)descriptors->pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && file < 0 && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        if (strncmp(target, descriptors->prefix, strlen(descriptors->prefix)) == 0)
            file = descriptors->take(descriptors->context, descriptors->pid,
                                     (int)strtol(entry->d_name, NULL, 10), target);
    }
    if (folder != NULL)
        closedir(folder);
    return file;
}

static int take_memory(void *context, pid_t pid, int descriptor, const char *target)
{
    (void)target;
    return open_memory(pid, descriptor, context);
}

/* Opens the mapping itself, as the kernel lets root alone. */
static int open_mapped(pid_t pid, const struct live_mapping *mapping)
{
    char path[96];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, mapping->start,
             mapping->end);
    int file = open_link(path, is_our_users(pid), &status);
    if (file >= 0 && (uint64_t)status.st_ino != mapping->inode) {
        close(file);
        file = -1;
    }
    return file;
}

/* Opens an area that is a file beside the log. */
static int open_beside(pid_t pid, const struct live_mapping *mapping)
{
    char path[PATH_MAX + 64];
    struct stat status;
    int file = open_mapped(pid, mapping);
    if (file >= 0 || !is_our_users(pid))
        return file;
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, mapping->path);
    file = file_open_regular(path, O_RDONLY | O_NOFOLLOW, &status);
    if (file >= 0 && (uint64_t)status.st_ino != mapping->inode) {
        close(file);
        file = -1;
    }
    return file;
}

int live_open_area(pid_t pid, const struct live_mapping *mapping, pid_t *recorder)
{
    int holder = 0, descriptor = 0, file = -1;
    *recorder = 0;
    if (!mapping->memory)
        return open_beside(pid, mapping);
    char *live = live_variable(pid, FISQL_VARIABLE_LIVE);
    if (live != NULL && sscanf(live, "/proc/%9d/fd/%9d", &holder, &descriptor) == 2 && holder > 0 &&
        descriptor >= 0)
        file = open_memory((pid_t)holder, descriptor, mapping);
    free(live);
    if (file >= 0) {
        *recorder = (pid_t)holder;
        return file;
    }
    struct live_mapping wanted = *mapping;
    const struct descriptors all = {pid, memory_name, take_memory, &wanted};
    file = descriptors_go(&all);
    if (file >= 0)
        *recorder = pid;
    return file >= 0 ? file : open_mapped(pid, mapping);
}

/* ---- logs ---- */

struct log_wanted {
    uint64_t run_id;
    bool believed;
    char **name;
};

static int take_log(void *context, pid_t pid, int descriptor, const char *target)
{
    const struct log_wanted *wanted = context;
    struct fisql_chunk chunk;
    struct stat status;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, descriptor);
    int file = open_link(path, wanted->believed, &status);
    if (file < 0)
        return -1;
    if (pread(file, &chunk, sizeof chunk, 0) == (ssize_t)sizeof chunk &&
        chunk.magic == FISQL_CHUNK_MAGIC && chunk.run_id == wanted->run_id) {
        *wanted->name = strdup(target);
        return file;
    }
    close(file);
    return -1;
}

int live_open_log(pid_t recorder, uint64_t run_id, char **name)
{
    struct log_wanted wanted = {run_id, is_our_users(recorder), name};
    const struct descriptors all = {recorder, "/", take_log, &wanted};
    *name = NULL;
    return descriptors_go(&all);
}

int live_open_named(pid_t pid, const char *path)
{
    struct stat status;
    return is_our_users(pid) ? file_open_regular(path, O_RDONLY | O_NOFOLLOW, &status) : -1;
}

char *live_variable(pid_t pid, enum fisql_variable variable)
{
    char path[64], *entry = NULL, *value = NULL;
    size_t room = 0;
    const char *name = fisql_variable(variable);
    size_t length = strlen(name);
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && value == NULL && getdelim(&entry, &room, 0, file) > 0)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            value = strdup(entry + length + 1);
    if (file != NULL)
        fclose(file);
    free(entry);
    return value;
}
