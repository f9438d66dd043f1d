/*
 * Campaigns' pure parts: experiments made of marked calls, with their rules and their order; folders made, compared
 * and removed.
 */
#include "cli/faults/contexts.h"
#include "cli/faults/folder.h"
#include "cli/faults/mirror.h"
#include "queries/embedded.h"
#include "tests/unit/check.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A run: main calls a (site 10), which calls b (20) and c (30); main calls d (40). malloc was marked at sites 51 to 54,
 * in b twice; in a recursion of d: d calls itself (41). A mark has no caller, one is of code without a module. */
static const char run_sql[] =
    "INSERT INTO modules(id, path, name) VALUES (1, '/bin/prog', 'prog'), (2, '/x/od:d', 'od:d');"
    "INSERT INTO sites(id, module_id, address) VALUES (1, 1, 1), (10, 1, 10), (20, 1, 20), (30, 1, "
    "30), (40, 1, 40),"
    " (41, 1, 41), (51, 1, 51), (52, 1, 52), (53, 1, 53), (54, 1, 54), (60, 2, 60), (61, NULL, 61);"
    "INSERT INTO frames(id, parent_id, function_id, site_id, depth, calls, total_ns, self_ns, "
    "finished, raw_total_ns,"
    " raw_self_ns, child_calls) VALUES (1, NULL, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0), (2, 1, 2, 10, 1, "
    "1, 0, 0, 1, 0, 0, 0),"
    " (3, 2, 3, 20, 2, 1, 0, 0, 1, 0, 0, 0), (4, 2, 4, 30, 2, 1, 0, 0, 1, 0, 0, 0), (5, 1, 5, 40, "
    "1, 2, 0, 0, 1, 0, 0, 0);"
    "INSERT INTO calls(id, thread_id, frame_id, depth, enter_ns, duration_ns, parent_distance) "
    "VALUES"
    " (1, 1, 1, 0, 0, 9, NULL), (2, 1, 2, 1, 1, 9, 1), (3, 1, 3, 2, 2, 9, 1), (4, 1, 4, 2, 3, 9, "
    "2),"
    " (5, 1, 5, 1, 4, 9, 4), (6, 1, 5, 2, 5, 9, 1),"
    /* of a forked process: its calls begin where its parent's are open */
    " (7, 2, 3, 0, 6, 9, NULL);"
    "INSERT INTO fault_rules VALUES (1, 'malloc: mark', 'malloc', 'mark', 9, 9),"
    " (2, 'operator new: mark', 'operator new', 'mark', 1, 1);"
    "INSERT INTO faults(id, rule_id, thread_id, call_id, frame_id, site_id, ns) VALUES (1, 1, 1, "
    "3, 3, 51, 1),"
    " (2, 1, 1, 3, 3, 51, 2), (3, 1, 1, 4, 4, 52, 3), (4, 1, 1, 5, 5, 53, 4), (5, 1, 1, 6, 5, 53, "
    "5), (6, 2, 1, 3, 3, 54, 6),"
    " (7, 1, 1, NULL, NULL, 51, 0), (8, 1, 1, 3, 3, 60, 7), (9, 1, 1, 3, 3, 61, 8), (10, 1, 2, 7, "
    "3, 52, 9)";

static void check_experiments(const char *per, const char *expected, int outside, int nameless)
{
    sqlite3 *database = NULL;
    struct contexts_report report = {0};
    char found[4096] = "";
    size_t used = 0;
    sqlite3_stmt *row = NULL;
    sqlite3_open(":memory:", &database);
    check(sqlite3_exec(database, embedded_schema, NULL, NULL, NULL) == SQLITE_OK &&
              sqlite3_exec(database, run_sql, NULL, NULL, NULL) == SQLITE_OK,
          "%s: the run is made: %s", per, sqlite3_errmsg(database));
    check(contexts_to_experiments(database, per, &report) == 0, "%s: they are read", per);
    sqlite3_prepare_v2(database, "SELECT rule, calls FROM experiments ORDER BY id", -1, &row, NULL);
    while (sqlite3_step(row) == SQLITE_ROW && used < sizeof found)
        used +=
            (size_t)snprintf(found + used, sizeof found - used, "%s %d\n",
                             (const char *)sqlite3_column_text(row, 0), sqlite3_column_int(row, 1));
    sqlite3_finalize(row);
    check_string(expected, found, per);
    check(report.outside == outside, "%s: calls outside are counted: %d", per, (int)report.outside);
    check(report.nameless == nameless, "%s: what cannot be named is counted: %d", per,
          (int)report.nameless);
    sqlite3_prepare_v2(database, "SELECT count(*) FROM faults, fault_rules", -1, &row, NULL);
    check(sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0) == 0,
          "%s: the marks are gone", per);
    sqlite3_finalize(row);
    sqlite3_close(database);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fputs(text, file);
        fclose(file);
    }
}

/* The names that differ, with commas. */
static const char *differing(const struct folder_names *ignored, bool first_only)
{
    static char text[256];
    struct folder_names names = {.items = NULL};
    text[0] = 0;
    folder_compare("one", "other", ignored, first_only, &names);
    for (size_t i = 0; i < names.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? "," : "",
                 names.items[i]);
    folder_names_release(&names);
    return text;
}

static void check_folders(void)
{
    struct stat status;
    mkdir("source", 0700);
    mkdir("source/sub", 0700);
    put("source/file", "text");
    put("source/sub/deep", "deep");
    put("source/faults.db", "no");
    mkdir("source/faults.db.d", 0700);
    put("source/faults.db2", "yes");
    check(folder_copy("source", "one", "source/faults.db") == 0, "a copy");
    check(lstat("one/faults.db", &status) != 0 && lstat("one/faults.db.d", &status) != 0 &&
              lstat("one/faults.db2", &status) == 0,
          "without the campaign's own files");
    check(folder_copy("source", "other", "source/faults.db") == 0, "another one");
    check(strcmp(differing(NULL, false), "") == 0, "they are the same");
    put("one/made", "a");
    put("other/made", "b");
    put("other/more", "");
    mkdir("one/inner", 0700);
    mkdir("other/inner", 0700);
    put("one/inner/x", "long");
    put("other/inner/x", "longer");
    unlink("other/faults.db2");
    check(strcmp(differing(NULL, false), "faults.db2,inner/x,made,more") == 0,
          "what differs, is missing, or is new: %s", differing(NULL, false));
    check(strcmp(differing(NULL, true), "faults.db2") == 0, "the first alone");
    struct folder_names ignored = {.items = NULL};
    folder_names_add(&ignored, "inner/x");
    folder_names_add(&ignored, "faults.db2");
    check(strcmp(differing(&ignored, false), "made,more") == 0, "not what is to be ignored");
    folder_names_release(&ignored);
    folder_remove("one");
    check(lstat("one", &status) != 0, "it is removed");
    folder_empty("other");
    check(rmdir("other") == 0, "a folder is emptied");
    check(folder_copy("source", "copy", NULL) == 0, "a copy");
    check(lstat("copy/sub/deep", &status) == 0 && S_ISREG(status.st_mode) &&
              files_same("copy/sub/deep", "source/sub/deep"),
          "has files of its own");
    check(chmod("copy/sub", 0) == 0, "a folder is made unreadable");
    folder_remove("copy");
    check(lstat("copy", &status) != 0, "and removed all the same");
    folder_remove("source");
}

/* What there is at a path below the root, `rest` being relative to where a run starts. */
static char kind_in(const struct mirror *mirror, const char *root, const char *rest)
{
    char path[8192];
    struct stat status;
    snprintf(path, sizeof path, "%s%s/%s", root, mirror_source(mirror), rest);
    if (lstat(path, &status) != 0)
        return '-';
    return S_ISLNK(status.st_mode) ? 'l' : S_ISDIR(status.st_mode) ? 'd' : 'f';
}

static const char *shown(const char *source, const char *name)
{
    static char text[PATH_MAX];
    struct mirror mirror = {.items = NULL};
    snprintf(mirror.source, sizeof mirror.source, "%s", source);
    return mirror_shown(&mirror, name, text);
}

static void check_mirror(void)
{
    static const struct {
        const char *path;
        char kind;
        const char *what;
    } wanted[] = {{".", 'd', "where it starts"},
                  {"file", 'l', "a file"},
                  {"sub", 'd', "a folder"},
                  {"sub/deep", 'l', "a file in a folder"},
                  {"folder_link", 'l', "a link to a folder"},
                  {"..", 'd', "the folder above"},
                  {"../beside", 'l', "a folder beside"},
                  {"../beside/near", 'f', "what it leads to"},
                  {"faults.db", '-', "the database"},
                  {"faults.db.d", '-', "the folder of runs"},
                  {"faults.db2", 'l', "another name"}};
    char here[2000], path[2100], database[2200];
    char *words[] = {NULL};
    struct mirror mirror;
    check(getcwd(here, sizeof here) != NULL, "the folder is known");
    snprintf(path, sizeof path, "%s/source", here);
    snprintf(database, sizeof database, "%s/faults.db", path);
    mkdir("source", 0700);
    mkdir("source/sub", 0700);
    mkdir("source/faults.db.d", 0700);
    mkdir("beside", 0700);
    put("beside/near", "near");
    put("source/file", "text");
    put("source/sub/deep", "deep");
    put("source/faults.db", "no");
    put("source/faults.db2", "yes");
    check(symlink("sub", "source/folder_link") == 0, "a link");
    check(mirror_list(&mirror, path, database, false, words) == 0, "what there is is listed");
    check(mirror_make(&mirror, "root") == 0, "and made");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        check(kind_in(&mirror, "root", wanted[i].path) == wanted[i].kind, "%s is %c, not %c",
              wanted[i].what, wanted[i].kind, kind_in(&mirror, "root", wanted[i].path));
    folder_remove("root");
    struct stat status;
    check(lstat("root", &status) != 0 && lstat("source/sub/deep", &status) == 0,
          "it is removed, and what its links led to is not");
    mirror_release(&mirror);
    folder_remove("source");
    folder_remove("beside");
    check(strcmp(shown("/a/b", "a/b/c/d"), "c/d") == 0, "a file in the folder");
    check(strcmp(shown("/a/b", "a/bc"), "../bc") == 0, "one beside it, with a longer name");
    check(strcmp(shown("/a/b", "x/y"), "../../x/y") == 0, "one in another folder of /");
    check(strcmp(shown("/a/b", "a/b"), ".") == 0, "the folder itself");
    check(strcmp(shown("/a/b", "a"), "../") == 0, "the one above");
    check(strcmp(shown("", "a/b"), "a/b") == 0, "a file where / is the folder");
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    char own[4096];
#define B_51 "malloc nth=1 per=run at prog+0x33,prog+0x14,prog+0xa,prog+0x1: fail 2\n"
#define D_53 "malloc nth=1 per=run at prog+0x35,prog+0x28,prog+0x1: fail 2\n"
#define NEW "operator new nth=1 per=run at prog+0x36,prog+0x14,prog+0xa,prog+0x1: fail 1\n"
    check_experiments("context",
                      B_51 D_53
                      "malloc nth=1 per=run at prog+0x34,prog+0x1e,prog+0xa,prog+0x1: fail 1\n"
                      "malloc nth=1 per=run at prog+0x34,prog+0x14,prog+0xa,prog+0x1: fail 1\n" NEW,
                      1, 2);
    check_experiments("site",
                      B_51 D_53
                      "malloc nth=1 per=run at prog+0x34,prog+0x1e,prog+0xa,prog+0x1: fail 2\n" NEW,
                      1, 2);
    snprintf(own, sizeof own, "%s/campaign.XXXXXX", folder != NULL ? folder : "/tmp");
    check(mkdtemp(own) != NULL && chdir(own) == 0, "a folder to work in");
    check_folders();
    check_mirror();
    rmdir(own);
    return check_status();
}
