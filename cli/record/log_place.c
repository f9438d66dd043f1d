/* Where a recording's log goes: see log_place.h. */
#include "cli/record/log_place.h"

#include "cli/out/say.h"
#include "cli/record/log_totals.h"
#include "formats/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* With less room on the disk the older log is removed at once: there is no room for two, and a fast
 * program fills so much before we see that it records. */
#define ROOM_FOR_BOTH_BYTES ((uint64_t)64 << 20)
#define LOOKED_THROUGH_BYTES ((off_t)4 << 20) /* a longer log has events */

/* Why a log must not replace the file at the path; NULL if it may. */
static const char *log_problem(const char *path, const struct stat *status)
{
    uint32_t magic = 0;
    if (S_ISLNK(status->st_mode))
        return "is a symbolic link: give another file with -o";
    if (!S_ISREG(status->st_mode))
        return "is not a regular file: give another file with -o";
    if (status->st_uid != geteuid())
        return "belongs to another user: remove it, or give another file with -o";
    if (status->st_size == 0)
        return NULL;
    int old = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (old < 0)
        return strerror(errno);
    bool log =
        read(old, &magic, sizeof magic) == (ssize_t)sizeof magic && magic == FISQL_CHUNK_MAGIC;
    close(old);
    return log ? NULL : "exists and is not a fisql log: remove it, or give another file with -o";
}

/* Does the older log hold anything? One of another version may. */
static bool is_worth_keeping(const char *path)
{
    struct stat status;
    struct statvfs room;
    struct fisql_chunk first;
    struct log_totals totals = {0};
    int log = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (log < 0)
        return false;
    bool holds = fstat(log, &status) == 0 && status.st_size > 0;
    if (holds && status.st_size <= LOOKED_THROUGH_BYTES &&
        pread(log, &first, sizeof first, 0) == (ssize_t)sizeof first &&
        first.version == FISQL_LOG_VERSION) {
        log_totals(log, first.run_id, false, &totals);
        holds = totals.events;
    }
    holds = holds && fstatvfs(log, &room) == 0 &&
            (uint64_t)room.f_bavail * room.f_frsize >= ROOM_FOR_BOTH_BYTES;
    close(log);
    return holds;
}

bool log_place_numbered(char *name, const char *path, uint32_t number)
{
    int length = number == 0 ? snprintf(name, PATH_MAX, "%s", path)
                             : snprintf(name, PATH_MAX, "%s.%u", path, number);
    return length >= 0 && length < PATH_MAX;
}

static int check_numbered(const char *path, uint32_t count)
{
    char name[PATH_MAX];
    for (uint32_t number = 1; number <= count; number++) {
        struct stat status;
        if (!log_place_numbered(name, path, number))
            return fail("%s: its path is too long", path);
        const char *problem = lstat(name, &status) == 0 ? log_problem(name, &status) : NULL;
        if (problem != NULL)
            return fail("%s: %s", name, problem);
    }
    return 0;
}

int log_place_shift(const char *path, uint32_t count)
{
    char from[PATH_MAX], to[PATH_MAX];
    for (uint32_t number = count; number > 1; number--)
        if (!log_place_numbered(to, path, number) || !log_place_numbered(from, path, number - 1) ||
            (rename(from, to) != 0 && errno != ENOENT))
            return -1;
    return 0;
}

int log_place_number(const char *from, const char *path, bool keep)
{
    char first[PATH_MAX];
    if (!log_place_numbered(first, path, 1))
        return -1;
    unlink(first); /* shifted, if there was one */
    if (keep && link(from, first) == 0)
        return 0;
    return rename(from, first);
}

/* Gives the older log the name place->earlier. Returns 0, or -1 with errno. */
static int put_aside(struct log_place *place)
{
    char aside[PATH_MAX];
    if ((size_t)snprintf(aside, sizeof aside, "%s.earlier-XXXXXX", place->path) >= sizeof aside) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int taken = mkostemp(aside, O_CLOEXEC); /* so that nobody else has the name */
    if (taken < 0)
        return -1;
    close(taken);
    if (rename(place->path, aside) != 0) {
        int error = errno;
        unlink(aside);
        errno = error;
        return -1;
    }
    memcpy(place->earlier, aside, sizeof aside);
    return 0;
}

/* Makes a new file and gives it the name of the older log. Holders of the old file never see the
 * new recording; its readers are undisturbed. */
static int log_replace(struct log_place *place, bool keep)
{
    char fresh[PATH_MAX];
    const char *slash = strrchr(place->path, '/');
    int folder = slash != NULL ? (int)(slash - place->path + 1) : 0;
    if ((size_t)snprintf(fresh, sizeof fresh, "%.*s.fisql-XXXXXX", folder, place->path) >=
        sizeof fresh) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int log = mkostemp(fresh, O_APPEND | O_CLOEXEC);
    if (log >= 0 && (fchmod(log, 0600) != 0 || (keep && put_aside(place) != 0) ||
                     rename(fresh, place->path) != 0)) {
        int error = errno;
        if (place->earlier[0] != 0)
            rename(place->earlier, place->path);
        unlink(fresh);
        close(log);
        errno = error;
        return -1;
    }
    return log;
}

/* Removes what a run without `fisql record` left beside the older log. */
static void live_remove(const char *path)
{
    char live[PATH_MAX];
    if ((size_t)snprintf(live, sizeof live, "%s.live", path) < sizeof live)
        unlink(live);
}

int log_place_make(struct log_place *place, const char *path, uint32_t rotated)
{
    struct stat status;
    bool there = lstat(path, &status) == 0;
    *place = (struct log_place){.path = path, .log = -1, .rotated = rotated};
    if (check_numbered(path, rotated) != 0)
        return -1;
    if (rotated != 0 && there && S_ISCHR(status.st_mode)) {
        fail("%s: --rotate needs a regular file: give another file with -o", path);
        return -1;
    }
    if (there && S_ISCHR(status.st_mode) && (status.st_uid == 0 || status.st_uid == geteuid())) {
        place->log = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    } else {
        const char *problem = there ? log_problem(path, &status) : NULL;
        if (problem != NULL) {
            fail("%s: %s", path, problem);
            return -1;
        }
        place->log = log_replace(place, there && is_worth_keeping(path));
    }
    if (place->log < 0) {
        fail("%s: %s: give another file with -o", path, strerror(errno));
        return -1;
    }
    if (!log_place_keeps(place))
        live_remove(path);
    return 0;
}

bool log_place_keeps(const struct log_place *place)
{
    return place->earlier[0] != 0;
}

void log_place_recorded(struct log_place *place)
{
    if (!log_place_keeps(place))
        return;
    if (place->rotated == 0 || log_place_shift(place->path, place->rotated) != 0 ||
        log_place_number(place->earlier, place->path, false) != 0)
        unlink(place->earlier);
    live_remove(place->path);
    place->earlier[0] = 0;
}

bool log_place_give_back(struct log_place *place)
{
    struct stat log, named;
    /* Another recording may have taken the place. */
    bool ours =
        lstat(place->path, &named) != 0 ||
        (fstat(place->log, &log) == 0 && log.st_ino == named.st_ino && log.st_dev == named.st_dev);
    bool back = ours && rename(place->earlier, place->path) == 0;
    if (!back)
        fail("%s: the earlier log could not get its name back: it is %s", place->path,
             place->earlier);
    place->earlier[0] = 0;
    return back;
}

void log_place_remove(struct log_place *place)
{
    struct stat log;
    if (log_place_keeps(place))
        log_place_give_back(place);
    else if (fstat(place->log, &log) == 0 && S_ISREG(log.st_mode))
        unlink(place->path);
}
