/* See attach_target.h. */
#include "cli/record/attach_target.h"

#include "base/parts.h"
#include "cli/record/program_file.h"
#include "cli/record/stopped.h"
#include "debuginfo/elf/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int refuse(const struct attach_target *target, struct error *error, const char *why)
{
    return error_set_kind(error, ERROR_USAGE, "%s: %s", target->name, why);
}

/* ---- the process ---- */

static void name_read(struct attach_target *target)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)target->pid);
    FILE *file = fopen(path, "re");
    if (file != NULL && fgets(name, sizeof name, file) == NULL)
        name[0] = 0;
    if (file != NULL)
        fclose(file);
    name[strcspn(name, "\n")] = 0;
    snprintf(target->name, sizeof target->name, "%d (%s)", (int)target->pid, name);
}

static bool same_file(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

/* Its paths lead elsewhere if its root or its mounts are others. */
static void root_read(struct attach_target *target)
{
    char mounts[64], root[64];
    snprintf(mounts, sizeof mounts, "/proc/%d/ns/mnt", (int)target->pid);
    snprintf(root, sizeof root, "/proc/%d/root", (int)target->pid);
    target->root[0] = 0;
    if (!same_file(mounts, "/proc/self/ns/mnt") || !same_file(root, "/"))
        snprintf(target->root, sizeof target->root, "%s", root);
}

/* Does the kernel tell it that it has other rights than its caller (AT_SECURE)? */
static bool is_secure(pid_t pid)
{
    char path[64];
    uint64_t pair[2];
    bool secure = false;
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && read(file, pair, sizeof pair) == (ssize_t)sizeof pair)
        if (pair[0] == AT_SECURE)
            secure = pair[1] != 0;
    if (file >= 0)
        close(file);
    return secure;
}

/* ---- its C library ---- */

/* A line of /proc/PID/maps. */
struct mapping {
    unsigned long long start, end, offset, inode;
    unsigned major, minor;
    char *path; /* "" = none */
};

static bool mapping_read(char *line, struct mapping *mapping)
{
    int at = 0;
    char access[8];
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &mapping->start, &mapping->end, access,
               &mapping->offset, &mapping->major, &mapping->minor, &mapping->inode, &at) < 7)
        return false;
    mapping->path = line + at;
    return true;
}

/* Has the library the functions: the C library, or before glibc 2.34 libdl? */
static bool is_candidate(const char *path, bool *musl)
{
    const char *name = last_part(path);
    *musl = starts_with(name, "ld-musl-") || starts_with(name, "libc.musl-") ||
            strcmp(name, "libc.so") == 0;
    return *musl || starts_with(name, "libc.so.6") || starts_with(name, "libc-2.") ||
           starts_with(name, "libdl.so.2") || starts_with(name, "libdl-2.");
}

struct functions {
    uint64_t dlopen, dlsym, dlclose, dlerror;
};

static int function_visit(void *context, const struct elf_symbol *symbol)
{
    struct functions *functions = context;
    const struct {
        const char *name;
        uint64_t *address;
    } wanted[] = {{"dlopen", &functions->dlopen},
                  {"dlsym", &functions->dlsym},
                  {"dlclose", &functions->dlclose},
                  {"dlerror", &functions->dlerror}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (symbol->address != 0 && strcmp(symbol->name, wanted[i].name) == 0)
            *wanted[i].address = symbol->address;
    return 0;
}

/* The functions of a mapped library. The file must be the one that is mapped: it may have been
 * replaced since. Returns 1, 0 if it does not have them, -1 with *error set. */
static int functions_read(struct attach_target *target, const struct mapping *mapping,
                          struct error *error)
{
    char path[PATH_MAX + 64];
    struct stat status;
    struct elf_file file;
    struct functions functions = {0};
    snprintf(path, sizeof path, "%s%s", target->root, mapping->path);
    if (stat(path, &status) != 0 || status.st_ino != mapping->inode)
        snprintf(path, sizeof path, "/proc/%d/map_files/%llx-%llx", (int)target->pid,
                 mapping->start, mapping->end);
    const char *problem = elf_file_open(&file, path);
    if (problem != NULL) {
        elf_file_close(&file);
        return error_set_kind(error, ERROR_USAGE,
                              "%s: %s, which it has mapped, was replaced since and cannot be read: "
                              "start the program anew",
                              target->name, mapping->path);
    }
    elf_file_functions(&file, SHT_DYNSYM, function_visit, &functions);
    uint64_t base = 0;
    for (uint16_t i = file.segments_count; i-- > 0;) {
        Elf64_Phdr segment = elf_file_segment(&file, i);
        if (segment.p_type == PT_LOAD && segment.p_offset == 0)
            base = mapping->start - (segment.p_vaddr & ~(uint64_t)4095);
    }
    elf_file_close(&file);
    if (functions.dlopen == 0 || functions.dlsym == 0 || functions.dlclose == 0 ||
        functions.dlerror == 0)
        return 0;
    target->dlopen = base + functions.dlopen;
    target->dlsym = base + functions.dlsym;
    target->dlclose = base + functions.dlclose;
    target->dlerror = base + functions.dlerror;
    return 1;
}

bool attach_target_is_left(const char *path)
{
    return starts_with(path, "/memfd:" ATTACH_MEMORY_NAME);
}

/* Does the mapping show that the process is recorded? (One that was left may have the library.) */
static bool is_recorded(const char *path)
{
    const char *name = last_part(path);
    return (starts_with(path, "/memfd:fisql") && !attach_target_is_left(path)) ||
           starts_with(name, "libfisql");
}

static int libraries_look(struct attach_target *target, struct error *error)
{
    char path[64], *line = NULL;
    size_t size = 0;
    int found = 0;
    bool recorded = false, left = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)target->pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && found >= 0 && getline(&line, &size, file) > 0) {
        struct mapping mapping;
        bool musl;
        if (!mapping_read(line, &mapping))
            continue;
        recorded |= is_recorded(mapping.path);
        left |= attach_target_is_left(mapping.path);
        if (found == 0 && mapping.offset == 0 && is_candidate(mapping.path, &musl)) {
            found = functions_read(target, &mapping, error);
            target->musl = found > 0 && musl;
        }
    }
    free(line);
    if (file == NULL)
        return error_set(error, "%s: %s: %s", target->name, path, strerror(errno));
    fclose(file);
    if (found < 0)
        return -1;
    if (recorded || (left && !target->musl))
        return refuse(target, error,
                      "it is recorded already, or was linked with the collector (libfisql)");
    return found > 0 ? 0
                     : refuse(target, error,
                              "it has no C library that fisql knows (glibc, musl), and so no way "
                              "to open another one");
}

/* ---- the whole ---- */

static int file_check(const struct attach_target *target, struct error *error)
{
    char path[64];
    struct program_file file;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)target->pid);
    program_file_look(&file, path);
    if (!file.known)
        return refuse(target, error, "its program cannot be read, or is none for Linux");
    if (!file.machine_same)
        return refuse(target, error, "it is a program for another kind of machine");
    if (file.is_static)
        return refuse(target, error,
                      "it is static: no library can be brought in. Link it without -static, or "
                      "with `fisql cc --sleds`, and run it by `fisql record PROGRAM`");
    return 0;
}

int attach_target_look(struct attach_target *target, pid_t pid, struct error *error)
{
    char path[64], why[512];
    *target = (struct attach_target){.pid = pid};
    name_read(target);
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    long tgid = stopped_status(pid, "Tgid");
    if (tgid < 0)
        return error_set_kind(error, ERROR_USAGE, "%d: there is no such process", (int)pid);
    if (tgid != pid)
        return error_set_kind(error, ERROR_USAGE, "%d is a thread of process %ld: give that one",
                              (int)pid, tgid);
    ssize_t length = readlink(path, target->program, sizeof target->program - 1);
    if (length <= 0 && errno == ENOENT)
        return refuse(target, error, "it is a thread of the kernel, or has ended");
    if (length <= 0 || stopped_status(pid, "TracerPid") > 0) {
        stopped_refusal(pid, why, sizeof why);
        return refuse(target, error, why);
    }
    target->program[length] = 0;
    root_read(target);
    if (file_check(target, error) != 0)
        return -1;
    if (is_secure(pid))
        return refuse(target, error,
                      "it has other rights than the one who started it (set-user-ID and the like): "
                      "such programs are not recorded");
    if (stopped_status(pid, "Seccomp") == 1)
        return refuse(target, error,
                      "it has forbidden itself all system calls but read and write (strict "
                      "seccomp)");
    return libraries_look(target, error);
}
