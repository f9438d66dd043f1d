/*
 * Where an experiment runs: below a folder ROOT, in which every folder from / to the one where the campaign was started
 * (the source), and every one within that, is a folder of the experiment's own. What else is in them is linked. So
 * relative paths lead to what they lead to in the source, `../data` too, and what the program makes by
 * them, `../out` too, stays in the experiment.
 *
 * What there is, is listed once in a campaign: what others do in /tmp meanwhile is no difference between two runs.
 */
#ifndef FISQL_CLI_FAULTS_MIRROR_H
#define FISQL_CLI_FAULTS_MIRROR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Links take some 0.2 ms each, in every run: so many at most in the folders above the source, and so many in those
 * within it. They have a limit each: a full /tmp above must not change where `sub/out` goes. */
enum { MIRROR_LINKS_MAX = 1000 };

struct mirror_entry {
    char *path;  /* absolute: it is made at ROOT and this path, and leads to this path */
    bool folder; /* one of its own, else a link */
};

struct mirror {
    char source[PATH_MAX]; /* absolute, without links; "" = / */
    const char *skipped;   /* folder_entry_listed(); borrowed */
    bool copy;             /* what is in the source is copied, not linked */
    struct mirror_entry *items;
    size_t count, room;
    size_t links; /* of those that MIRROR_LINKS_MAX bounds together */
};

/* Lists what is in the current folder and in those above it, for the program with these words: its arguments lead to
 * what they name even where a folder has too many entries, which is said, or cannot be read. Release in any
 * case. Returns 0, or 2 after saying what is wrong. */
int mirror_list(struct mirror *mirror, const char *source, const char *skipped, bool copy,
                char *const *words);
void mirror_release(struct mirror *mirror);
const char *mirror_source(const struct mirror *mirror); /* as it was given */

/* Makes the folder `root` with what was listed; goes to where the source is in it. Both return 0, or 2 after saying
 * what is wrong. */
int mirror_make(const struct mirror *mirror, const char *root);
int mirror_enter(const struct mirror *mirror, const char *root);

/* The path of a file of ROOT, "tmp/work/out", as the program may have named it, "../out": in `text`, of PATH_MAX bytes,
 * which it returns. */
char *mirror_shown(const struct mirror *mirror, const char *name, char *text);

#endif
