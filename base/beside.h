/*
 * Files beside a database that SQLite would take for a part of it: NAME-journal, NAME-wal and NAME-shm. Whoever
 * may write in the folder can put one there. Undoing a change by a journal writes into the database, and
 * removes whatever file the journal names as that of a change to several databases.
 */
#ifndef FISQL_BASE_BESIDE_H
#define FISQL_BASE_BESIDE_H

#include <limits.h>

enum beside_kind {
    BESIDE_NOTHING, /* that matters */
    BESIDE_JOURNAL, /* of a change that goes on, or was cut off */
    BESIDE_OTHERS,  /* a journal that names another file, to be removed */
    BESIDE_WAL,     /* of changes, though the database is not in WAL mode */
    BESIDE_NO_FILE, /* a link, a folder, a pipe */
};

struct beside {
    enum beside_kind kind;
    char path[PATH_MAX + 16]; /* which file it is; "" = none */
};

/* Looks for what lies beside the database, the worst first. No file is changed, none waited for. */
void beside_look(const char *database, struct beside *beside);

/* Removes what belonged to the database that had the name before. */
void beside_remove(const char *database);

#endif
