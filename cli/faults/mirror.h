/*
 * Where an experiment runs: below a folder ROOT. There the experiment has a folder of its own for
 * each folder from / to the one where the campaign was started (the source), and for each folder
 * within that; everything else in them is a link. So relative paths, `../data` too, lead where they
 * lead in the source, and files that the program makes by them, `../out` too, stay in the
 * experiment.
 *
 * We list the folders once in a campaign: what others do in /tmp meanwhile must not become a
 * difference between two runs.
 */
#ifndef FISQL_CLI_FAULTS_MIRROR_H
#define FISQL_CLI_FAULTS_MIRROR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Most links in the folders above the source, and in those within it: each takes some 0.2 ms in
 * every run. The limits are separate, because a full /tmp above must not change where `sub/out`
 * goes. */
enum { MIRROR_LINKS_MAX = 1000 };

struct mirror_entry {
    char *path;  /* absolute: made at ROOT and this path, it leads to this path */
    bool folder; /* a folder of its own, else a link */
};

struct mirror {
    char source[PATH_MAX]; /* absolute, without links; "" = / */
    const char *skipped;   /* folder_entry_listed(); borrowed */
    bool copy;             /* the contents of the source are copied, not linked */
    struct mirror_entry *items;
    size_t count, room;
    size_t links; /* counted against MIRROR_LINKS_MAX */
};

/* Lists the current folder and those above it for the program with these words. Its arguments lead
 * to what they name even if a folder has too many entries, which is reported, or cannot be read.
 * Release in any case. Returns 0, or 2 after saying what is wrong. */
int mirror_list(struct mirror *mirror, const char *source, const char *skipped, bool copy,
                char *const *words);
void mirror_release(struct mirror *mirror);
const char *mirror_source(const struct mirror *mirror); /* as given */

/* Make the folder `root` from the list; change to the source within it. Return 0, or 2 after saying
 * what is wrong. */
int mirror_make(const struct mirror *mirror, const char *root);
int mirror_enter(const struct mirror *mirror, const char *root);

/* The path of a file of ROOT, "tmp/work/out", as the program may have named it, "../out". Writes it
 * to `text`, of PATH_MAX bytes, and returns that. */
char *mirror_shown(const struct mirror *mirror, const char *name, char *text);

#endif
