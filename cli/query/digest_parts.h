/* What the parts of the digest share: digest.c, digest_words.c, digest_findings.c. */
#ifndef FISQL_CLI_QUERY_DIGEST_PARTS_H
#define FISQL_CLI_QUERY_DIGEST_PARTS_H

#include "cli/query/query_set.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

enum { DIGEST_MORE_MAX = 8, DIGEST_TITLE_WIDTH = 13 };

struct digest {
    sqlite3 *database;
    const char *path;
    FILE *out;
    const struct query_set *set;
    double cpu_ns;
    bool foreign; /* another tool's trace: its times have waiting, and it knows calls alone */
    const char *more[DIGEST_MORE_MAX]; /* queries */
    int more_count;
};

/* Puts a function's name as people may see it, cut if it is long. */
void digest_put_name(FILE *out, const char *name);
void digest_put_time(FILE *out, double ns);
void digest_put_bytes(FILE *out, double bytes);
void digest_put_title(FILE *out, const char *title);

/* Puts the command that shows more. It names the database unless that is the default one. */
void digest_put_command(const struct digest *digest, const char *query);

/* Puts the findings. Returns 0, or 2 after saying what is wrong. */
int digest_put_findings(const struct digest *digest);

#endif
