/*
 * Files beside a database that SQLite would take for a part of it: NAME-journal, NAME-wal and
 * NAME-shm. Anyone who may write in the folder can put one there. When SQLite undoes a change by a
 * journal, it writes into the database and removes whatever file the journal names as the list of a
 * change to several databases.
 */
#ifndef FISQL_BASE_BESIDE_H
#define FISQL_BASE_BESIDE_H

#include <limits.h>

enum beside_kind {
    BESIDE_NOTHING, /* that matters */
    BESIDE_JOURNAL, /* of a change that is under way, or was cut off */
    BESIDE_OTHERS,  /* a journal that names another file, to be removed */
    BESIDE_WAL,     /* of changes, though the database is not in WAL mode */
    BESIDE_NO_FILE, /* a link, a folder, a pipe */
};

struct beside {
    enum beside_kind kind;
    char path[PATH_MAX + 16]; /* the file found; "" = none */
};

/* Looks for files beside the database, the worst first. Changes no file and waits for none. */
void beside_look(const char *database, struct beside *beside);

/* Removes the files that belonged to an earlier database of this name. */
void beside_remove(const char *database);

#endif
