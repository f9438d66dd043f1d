/* Reserving disk blocks for the log: see log_space.h. */
#include "cli/record/log_space.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Two threads that do nothing but call fill this in some 100 ms. */
#define AHEAD_MIN ((uint64_t)64 << 20)
#define AHEAD_MAX ((uint64_t)1 << 30)
#define FREE_PART 16u /* at most this part of the free space is reserved */
#define XFS_MAGIC 0x58465342

void log_space_begin(struct log_space *space, int log, uint64_t limit_bytes)
{
    struct statfs system;
    struct rlimit limit;
    *space = (struct log_space){.log = log, .limit_bytes = limit_bytes};
    /* Other file systems are not known to gain: tmpfs takes the memory at once, NFS asks the
     * server. Under a limit on the size of files, threads that live_busy() does not know of may
     * record, so the end must not be cut. */
    space->off = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY ||
                 fstatfs(log, &system) != 0 ||
                 (system.f_type != EXT4_SUPER_MAGIC && system.f_type != XFS_MAGIC);
    log_space_keep(space);
}

bool log_space_keep(struct log_space *space)
{
    struct stat status;
    struct statvfs room;
    if (space->off || fstat(space->log, &status) != 0)
        return false;
    uint64_t size = (uint64_t)status.st_size;
    uint64_t ahead = size < AHEAD_MIN ? AHEAD_MIN : size > AHEAD_MAX ? AHEAD_MAX : size;
    if (space->limit_bytes != 0 && size + ahead > space->limit_bytes)
        ahead = space->limit_bytes > size ? space->limit_bytes - size : 0;
    bool grown = size > space->size_bytes;
    space->size_bytes = size;
    if (space->reserved_bytes >= size + ahead / 2)
        return grown;
    uint64_t from = space->reserved_bytes > size ? space->reserved_bytes : size;
    uint64_t more = size + ahead - from;
    space->off = fstatvfs(space->log, &room) != 0 ||
                 (uint64_t)room.f_bavail * room.f_frsize / FREE_PART < ahead;
    if (space->off)
        return grown;
    /* A failing call may have reserved a part, which must be given back, too. */
    space->reserved_bytes = from + more;
    space->off = fallocate(space->log, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)more) != 0;
    return grown;
}

void log_space_end(struct log_space *space)
{
    struct stat status;
    if (space->reserved_bytes != 0 && fstat(space->log, &status) == 0 &&
        (uint64_t)status.st_size < space->reserved_bytes &&
        ftruncate(space->log, status.st_size) != 0)
        space->off = true; /* the blocks stay with the file, which does no harm */
}
