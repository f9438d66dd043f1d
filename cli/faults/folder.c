/* Folders of experiments: see folder.h. */
#include "cli/faults/folder.h"

#include "base/array.h"
#include "cli/out/say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

void folder_names_release(struct folder_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct folder_names){.items = NULL};
}

int folder_names_add(struct folder_names *names, const char *name)
{
    struct error error;
    if (array_reserve(&names->items, &names->room, names->count + 1, &error) != 0 ||
        (names->items[names->count] = strdup(name)) == NULL)
        return -1;
    names->count++;
    return 0;
}

/* Writes FOLDER/NAME to text; false if it is too long. */
static bool join(char *text, const char *folder, const char *name)
{
    return snprintf(text, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static int failed(const char *path)
{
    return fail("%s: %s", path, strerror(errno));
}

int folder_full_path(const char *path, char *full)
{
    char folder[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, sizeof folder, "%.*s", length, slash == NULL ? "." : path);
    if (realpath(folder, real) == NULL)
        return fail("%s: %s", folder, strerror(errno));
    int used = snprintf(full, PATH_MAX, "%s/%s", strcmp(real, "/") != 0 ? real : "", name);
    return used < PATH_MAX - FOLDER_PATH_SPARE ? 0 : fail("%s: its path is too long", path);
}

/* ---- copying ---- */

static int copy_file(const char *from, const char *to, mode_t mode)
{
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0)
        return failed(from);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t sent = out < 0 ? -1 : 1;
    while (sent > 0)
        sent = sendfile(out, in, NULL, 1 << 30);
    int result = sent == 0 && fchmod(out, mode & 0777) == 0 ? 0 : failed(to);
    close(in);
    if (out >= 0 && close(out) != 0 && result == 0)
        result = failed(to);
    return result;
}

static int copy_link(const char *from, const char *to)
{
    char target[PATH_MAX];
    ssize_t length = readlink(from, target, sizeof target - 1);
    if (length < 0)
        return failed(from);
    target[length] = 0;
    return symlink(target, to) == 0 ? 0 : failed(to);
}

static int copy_any(const char *from, const char *to, const char *skipped)
{
    struct stat status;
    if (lstat(from, &status) != 0)
        return failed(from);
    if (S_ISDIR(status.st_mode))
        return folder_copy(from, to, skipped);
    if (S_ISLNK(status.st_mode))
        return copy_link(from, to);
    if (S_ISREG(status.st_mode))
        return copy_file(from, to, status.st_mode);
    return symlink(from, to) == 0 ? 0 : failed(to); /* a pipe, a socket, a device */
}

bool folder_entry_listed(const char *folder, const char *name, const char *skipped)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    char path[PATH_MAX];
    size_t length = skipped != NULL ? strlen(skipped) : 0;
    return length == 0 || !join(path, folder, name) || strncmp(path, skipped, length) != 0 ||
           (path[length] != 0 && path[length] != '.' && path[length] != '-');
}

int folder_copy(const char *from, const char *to, const char *skipped)
{
    char one[PATH_MAX], other[PATH_MAX];
    int result = 0;
    if (mkdir(to, 0700) != 0)
        return failed(to);
    DIR *folder = opendir(from);
    if (folder == NULL)
        return failed(from);
    for (struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;) {
        if (!folder_entry_listed(from, entry->d_name, skipped))
            continue;
        if (!join(one, from, entry->d_name) || !join(other, to, entry->d_name))
            result = fail("%s: its path is too long", entry->d_name);
        else
            result = copy_any(one, other, skipped);
    }
    closedir(folder);
    return result;
}

/* ---- comparing ---- */

bool files_same(const char *one, const char *other)
{
    FILE *a = fopen(one, "re"), *b = fopen(other, "re");
    bool same = a != NULL && b != NULL;
    for (size_t got = 1; same && got > 0;) {
        char first[16384], second[16384];
        got = fread(first, 1, sizeof first, a);
        same = fread(second, 1, sizeof second, b) == got && memcmp(first, second, got) == 0 &&
               !ferror(a) && !ferror(b);
    }
    if (a != NULL)
        fclose(a);
    if (b != NULL)
        fclose(b);
    return same;
}

static bool links_same(const char *one, const char *other)
{
    char first[PATH_MAX], second[PATH_MAX];
    ssize_t length = readlink(one, first, sizeof first);
    return length >= 0 && readlink(other, second, sizeof second) == length &&
           memcmp(first, second, (size_t)length) == 0;
}

struct comparison {
    const char *expected, *actual; /* folders */
    const struct folder_names *ignored;
    struct folder_names *names;
    bool first_only;
};

static bool is_ignored(const struct folder_names *ignored, const char *name)
{
    for (size_t i = 0; ignored != NULL && i < ignored->count; i++)
        if (strcmp(ignored->items[i], name) == 0)
            return true;
    return false;
}

static int compare_below(const struct comparison *comparison, const char *below);

/* Compares an entry of one of the folders. `back`: entries of both have been compared. */
static int compare_entry(const struct comparison *comparison, const char *name, bool back)
{
    char expected[PATH_MAX], actual[PATH_MAX];
    struct stat one, other;
    if (is_ignored(comparison->ignored, name) || !join(expected, comparison->expected, name) ||
        !join(actual, comparison->actual, name))
        return 0;
    bool in_both = lstat(expected, &one) == 0 && lstat(actual, &other) == 0 &&
                   (one.st_mode & S_IFMT) == (other.st_mode & S_IFMT);
    if (!in_both)
        return folder_names_add(comparison->names, name);
    if (back)
        return 0;
    if (S_ISDIR(one.st_mode))
        return compare_below(comparison, name);
    bool same = S_ISLNK(one.st_mode) ? links_same(expected, actual)
                : S_ISREG(one.st_mode)
                    ? one.st_size == other.st_size && files_same(expected, actual)
                    : true;
    return same ? 0 : folder_names_add(comparison->names, name);
}

/* Compares the entries that one of the folders has at this place ("" = itself). */
static int compare_one(const struct comparison *comparison, const char *below, bool back)
{
    char path[PATH_MAX], name[PATH_MAX];
    struct dirent **entries = NULL;
    int result = 0;
    if (!join(path, back ? comparison->actual : comparison->expected, below))
        return 0;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *own = entries[i]->d_name;
        bool done = result != 0 || (comparison->first_only && comparison->names->count > 0) ||
                    strcmp(own, ".") == 0 || strcmp(own, "..") == 0;
        if (!done && snprintf(name, sizeof name, "%s%s%s", below, *below != 0 ? "/" : "", own) <
                         (int)sizeof name)
            result = compare_entry(comparison, name, back);
        free(entries[i]);
    }
    free(entries);
    return result;
}

/* Compares what `expected` has, then what only `actual` has. */
static int compare_below(const struct comparison *comparison, const char *below)
{
    int result = compare_one(comparison, below, false);
    return result == 0 ? compare_one(comparison, below, true) : result;
}

int folder_compare(const char *expected, const char *actual, const struct folder_names *ignored,
                   bool first_only, struct folder_names *names)
{
    const struct comparison comparison = {expected, actual, ignored, names, first_only};
    return compare_below(&comparison, "");
}

/* ---- removing ---- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)at;
    return kind == FTW_DP || kind == FTW_DNR ? rmdir(path) : unlink(path);
}

/* Opens up a folder that the program made unreadable. */
static int open_up(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)at;
    if (kind == FTW_D || kind == FTW_DNR)
        chmod(path, 0700);
    return 0;
}

void folder_remove(const char *path)
{
    enum { OPEN_MAX_FOLDERS = 16 };
    if (nftw(path, remove_one, OPEN_MAX_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0)
        return;
    nftw(path, open_up, OPEN_MAX_FOLDERS, FTW_PHYS);
    nftw(path, remove_one, OPEN_MAX_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

void folder_empty(const char *path)
{
    char name[PATH_MAX];
    DIR *folder = opendir(path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (folder_entry_listed(path, entry->d_name, NULL) && join(name, path, entry->d_name))
            folder_remove(name);
    closedir(folder);
}
