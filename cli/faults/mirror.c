/* Where an experiment runs: see mirror.h. */
#include "cli/faults/mirror.h"

#include "base/array.h"
#include "base/must.h"
#include "cli/faults/folder.h"
#include "cli/out/say.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const char *path)
{
    return fail("%s: %s", path, strerror(errno));
}

/* "" is /, so that each path below begins with its own slash. */
static const char *or_root(const char *path)
{
    return *path != 0 ? path : "/";
}

static bool join(char *text, const char *folder, const char *below)
{
    return snprintf(text, PATH_MAX, "%s%s", folder, below) < PATH_MAX;
}

/* ---- listing ---- */

static int add(struct mirror *mirror, const char *path, bool folder)
{
    struct error error;
    char *own = strdup(path);
    if (own == NULL ||
        array_reserve(&mirror->items, &mirror->room, mirror->count + 1, &error) != 0) {
        free(own);
        return fail("out of memory");
    }
    must(path[0] == '/');
    mirror->items[mirror->count++] = (struct mirror_entry){own, folder};
    /* cppcheck-suppress memleak ; the list has it */
    return 0;
}

static void drop_from(struct mirror *mirror, size_t count)
{
    while (mirror->count > count)
        free(mirror->items[--mirror->count].path);
}

/* Is the path among the entries from `from` on? */
static bool listed(const struct mirror *mirror, size_t from, const char *path)
{
    for (size_t i = from; i < mirror->count; i++)
        if (strcmp(mirror->items[i].path, path) == 0)
            return true;
    return false;
}

/* Adds links to the entries of the folder but `own` (NULL = none). *whole: there were no more than
 * `most`; if not, nothing is added, and errno is 0 or says why the folder cannot be read. Returns
 * 0, or 2 after saying what is wrong. */
static int add_entries(struct mirror *mirror, const char *folder, const char *own, size_t most,
                       bool *whole)
{
    size_t before = mirror->count;
    char path[PATH_MAX], name[NAME_MAX + 2];
    int result = 0;
    DIR *entries = opendir(or_root(folder));
    *whole = entries != NULL;
    if (entries == NULL)
        return 0;
    for (struct dirent *entry; *whole && result == 0 && (entry = readdir(entries)) != NULL;) {
        snprintf(name, sizeof name, "/%s", entry->d_name);
        if (!folder_entry_listed(folder, entry->d_name, mirror->skipped))
            continue;
        if (!join(path, folder, name))
            result = fail("%s: its path is too long", entry->d_name);
        else if (own == NULL || strcmp(path, own) != 0)
            result = add(mirror, path, false);
        *whole = mirror->count - before <= most;
    }
    closedir(entries);
    errno = 0;
    if (!*whole)
        drop_from(mirror, before);
    return result;
}

static int add_within_limit(struct mirror *mirror, const char *folder, const char *own, bool *whole)
{
    size_t before = mirror->count;
    must(mirror->links <= MIRROR_LINKS_MAX);
    int result = add_entries(mirror, folder, own, MIRROR_LINKS_MAX - mirror->links, whole);
    mirror->links += mirror->count - before;
    return result;
}

/* What a word of the command, or the value of an option, `--from=../data`, names by a path that
 * climbs `climbs` folders first; NULL = nothing. */
static const char *named_above(const char *word, size_t climbs)
{
    const char *value = word[0] == '-' ? strchr(word, '=') : NULL;
    const char *rest = value != NULL ? value + 1 : word;
    size_t climbed = 0;
    while (strncmp(rest, "../", 3) == 0 || strncmp(rest, "./", 2) == 0) {
        climbed += rest[1] == '.';
        rest += strcspn(rest, "/");
        rest += strspn(rest, "/");
    }
    return climbed == climbs && climbed > 0 && *rest != 0 && strcmp(rest, "..") != 0 ? rest : NULL;
}

/* Adds what the command names in a folder above the source that is not listed. */
static int add_named(struct mirror *mirror, const char *folder, size_t climbs, char *const *words)
{
    char path[PATH_MAX];
    struct stat there;
    size_t first = mirror->count;
    size_t length = strlen(folder);
    for (; *words != NULL; words++) {
        const char *rest = named_above(*words, climbs);
        if (rest == NULL || snprintf(path, sizeof path, "%s/%.*s", folder, (int)strcspn(rest, "/"),
                                     rest) >= (int)sizeof path)
            continue;
        size_t whole = strlen(path);
        bool own = strncmp(mirror->source, path, whole) == 0 &&
                   (mirror->source[whole] == '/' || mirror->source[whole] == 0);
        must(whole > length);
        if (!own && !listed(mirror, first, path) && lstat(path, &there) == 0 &&
            add(mirror, path, false) != 0)
            return 2;
    }
    return 0;
}

/* Adds the folders above the source, from the nearest on, as they share a limit. */
static int add_above(struct mirror *mirror, char *const *words)
{
    char folder[PATH_MAX], own[PATH_MAX];
    size_t climbs = 0;
    memcpy(folder, mirror->source, sizeof folder);
    for (char *slash; (slash = strrchr(folder, '/')) != NULL;) {
        bool whole;
        memcpy(own, folder, sizeof own);
        *slash = 0;
        climbs++;
        if (add_within_limit(mirror, folder, own, &whole) != 0)
            return 2;
        if (!whole && errno == 0)
            note("%s: has too many entries: relative paths find there what the command names, "
                 "and nothing else",
                 or_root(folder));
        if (!whole && add_named(mirror, folder, climbs, words) != 0)
            return 2;
    }
    return 0;
}

/* Is it a folder that the program can write to? Others, and file systems such as /proc, are
 * linked. */
static bool is_own_folder(const char *path, dev_t device)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_dev == device &&
           access(path, R_OK | W_OK | X_OK) == 0;
}

/* Adds the folders within the source, those near its top first. */
static int add_within(struct mirror *mirror, size_t first)
{
    struct stat source;
    size_t length = strlen(mirror->source), left_out = 0;
    char one_left_out[PATH_MAX];
    if (stat(mirror_source(mirror), &source) != 0)
        return failed(mirror_source(mirror));
    for (size_t i = first; i < mirror->count; i++) { /* which grows meanwhile */
        bool whole;
        const char *path = mirror->items[i].path;
        if (strncmp(path, mirror->source, length) != 0 || path[length] != '/' ||
            !is_own_folder(path, source.st_dev))
            continue;
        if (add_within_limit(mirror, path, NULL, &whole) != 0)
            return 2;
        mirror->items[i].folder = whole;
        if (!whole && left_out++ == 0)
            snprintf(one_left_out, sizeof one_left_out, "%s", path + length + 1);
    }
    if (left_out > 0)
        note("%s: there are too many files for links to each: what the program writes to this "
             "folder%s stays there; --copy keeps it apart",
             one_left_out, left_out > 1 ? " and to others" : "");
    return 0;
}

/* Adds the folders on the way to the source, and the source unless it is copied. */
static int add_way(struct mirror *mirror)
{
    char path[PATH_MAX];
    for (const char *end = mirror->source; *end != 0;) {
        end += 1 + strcspn(end + 1, "/");
        snprintf(path, sizeof path, "%.*s", (int)(end - mirror->source), mirror->source);
        if ((*end != 0 || !mirror->copy) && add(mirror, path, true) != 0)
            return 2;
    }
    return 0;
}

int mirror_list(struct mirror *mirror, const char *source, const char *skipped, bool copy,
                char *const *words)
{
    bool whole = true;
    *mirror = (struct mirror){.skipped = skipped, .copy = copy};
    if (source[0] != '/' || strlen(source) >= sizeof mirror->source)
        return fail("%s: is no path to run programs in", source);
    snprintf(mirror->source, sizeof mirror->source, "%s", strcmp(source, "/") != 0 ? source : "");
    if (add_way(mirror) != 0)
        return 2;
    size_t first = mirror->count;
    if (!copy && add_entries(mirror, mirror->source, NULL, SIZE_MAX, &whole) != 0)
        return 2;
    if (!whole)
        return failed(source);
    if (add_above(mirror, words) != 0)
        return 2;
    mirror->links = 0;
    return copy ? 0 : add_within(mirror, first);
}

void mirror_release(struct mirror *mirror)
{
    drop_from(mirror, 0);
    free(mirror->items);
    *mirror = (struct mirror){.items = NULL};
}

const char *mirror_source(const struct mirror *mirror)
{
    return or_root(mirror->source);
}

/* ---- making ---- */

int mirror_make(const struct mirror *mirror, const char *root)
{
    char path[PATH_MAX];
    if (mkdir(root, 0700) != 0)
        return failed(root);
    for (size_t i = 0; i < mirror->count; i++) {
        const struct mirror_entry *entry = &mirror->items[i];
        if (!join(path, root, entry->path))
            return fail("%s: the path of a run below it is too long", entry->path);
        if ((entry->folder ? mkdir(path, 0700) : symlink(entry->path, path)) != 0)
            return failed(path);
    }
    if (!mirror->copy)
        return 0;
    return join(path, root, mirror->source)
               ? folder_copy(mirror_source(mirror), path, mirror->skipped)
               : fail("%s: the path of a run below it is too long", mirror->source);
}

int mirror_enter(const struct mirror *mirror, const char *root)
{
    char path[PATH_MAX];
    if (!join(path, root, mirror->source))
        return fail("%s: the path of a run below it is too long", mirror->source);
    return chdir(path) == 0 && setenv("PWD", path, 1) == 0 ? 0 : failed(path);
}

/* ---- showing ---- */

char *mirror_shown(const struct mirror *mirror, const char *name, char *text)
{
    const char *source = mirror->source, *rest = name;
    size_t used = 0;
    while (*source == '/') { /* as far as both agree */
        size_t length = strcspn(source + 1, "/");
        if (strncmp(source + 1, rest, length) != 0 || (rest[length] != '/' && rest[length] != 0))
            break;
        source += 1 + length;
        rest += length + (rest[length] == '/');
    }
    text[0] = 0;
    for (; *source == '/' && used + 3 < PATH_MAX; source += 1 + strcspn(source + 1, "/"))
        used += (size_t)snprintf(text + used, PATH_MAX - used, "../");
    snprintf(text + used, PATH_MAX - used, "%s", *rest != 0 ? rest : used == 0 ? "." : "");
    return text;
}
