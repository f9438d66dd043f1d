/* Files beside a database: see beside.h. Offsets are those of SQLite's file formats. */
#include "base/beside.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {"-journal", "-wal", "-shm"};

/* SQLite puts them beside the file itself, not beside a link to it. */
static void name_beside(const char *database, const char *ending, char *path, size_t size)
{
    char real[PATH_MAX];
    snprintf(path, size, "%s%s", realpath(database, real) != NULL ? real : database, ending);
}

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* At offset 18 and 19: 1 = a journal, 2 = WAL. */
static bool is_in_wal_mode(const char *database)
{
    unsigned char versions[2] = {0};
    int file = open(database, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool read = file >= 0 && pread(file, versions, sizeof versions, 18) == sizeof versions;
    if (file >= 0)
        close(file);
    return !read || versions[0] == 2 || versions[1] == 2;
}

/* A journal that begins with 0 is over. That of a change to several databases ends with the name of
 * a file that lists them, and eight known bytes. */
static enum beside_kind journal_kind(const char *path, off_t size)
{
    static const unsigned char mark[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char first = 0, last[8] = {0};
    int file = open_file(path);
    if (file < 0)
        return size > 0 ? BESIDE_JOURNAL : BESIDE_NOTHING;
    bool begun = pread(file, &first, 1, 0) == 1 && first != 0;
    bool others = size > 8 && pread(file, last, sizeof last, size - 8) == sizeof last &&
                  memcmp(last, mark, sizeof mark) == 0;
    close(file);
    return !begun ? BESIDE_NOTHING : others ? BESIDE_OTHERS : BESIDE_JOURNAL;
}

void beside_look(const char *database, struct beside *beside)
{
    *beside = (struct beside){.kind = BESIDE_NOTHING};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct stat status;
        struct beside found = {.kind = BESIDE_NOTHING};
        name_beside(database, endings[i], found.path, sizeof found.path);
        if (lstat(found.path, &status) != 0)
            continue;
        if (!S_ISREG(status.st_mode))
            found.kind = BESIDE_NO_FILE;
        else if (strcmp(endings[i], "-journal") == 0)
            found.kind = journal_kind(found.path, status.st_size);
        else if (strcmp(endings[i], "-wal") == 0 && !is_in_wal_mode(database))
            found.kind = BESIDE_WAL;
        if (found.kind > beside->kind)
            *beside = found;
    }
}

void beside_remove(const char *database)
{
    char path[PATH_MAX + 16];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        name_beside(database, endings[i], path, sizeof path);
        (void)unlink(path); /* if that fails, the next reader of the database reports it */
    }
}
