/*
 * fisql run: records, loads and reports a program in one go. Each step is the command of its name.
 * Standard output is the program's alone, so the digest and --open's address go to standard error. fisql run ends as
 * the program ended, however the later steps go.
 */
#include "cli/cmd_record.h"

#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/out/out_file.h"
#include "cli/out/say.h"
#include "cli/query/digest.h"
#include "cli/run/database.h"
#include "page/page.h"
#include "base/memory_text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* May we write a page there: is there nothing, or a page of ours? */
static bool may_write_page(const char *path)
{
    char text[1024] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return errno == ENOENT;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return length == 0 || strstr(text, "<title>fisql report") != NULL;
}

static void say_digest(const char *path)
{
    sqlite3 *database = database_open(path);
    char *text = NULL;
    size_t size = 0;
    FILE *out = database != NULL ? memory_text_open(&text, &size) : NULL;
    bool done = out != NULL && digest_print(database, path, out) == 0;
    if (out != NULL && fclose(out) == 0 && done)
        say_through(text, size);
    free(text);
    sqlite3_close(database);
}

static void write_page(char *database, char *page)
{
    char command[] = "report", output[] = "-o", end[] = "--";
    char *arguments[] = {command, output, page, end, database, NULL};
    if (report_page_tail[0] == '\0')
        return; /* built without it: `fisql report` says why */
    if (may_write_page(page))
        cmd_report(5, arguments);
    else
        note("%s: is no page of fisql's: left as it is; `fisql report %s -o FILE` writes one", page,
             database);
}

/* Until Ctrl-C, or nobody looks any more. */
static void open_in_browser(char *database)
{
    char command[] = "serve", open[] = "--open", idle[] = "--idle", time[] = "10m", end[] = "--";
    char *arguments[] = {command, open, idle, time, end, database, NULL};
    sqlite3_shutdown(); /* no connection is open; the server caps SQLite's memory before its first */
    if (flush_output() == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        cmd_serve(6, arguments);
}

/* The steps after recording. */
static void look_at(char *log, bool quiet, bool open)
{
    char database[PATH_MAX], page[PATH_MAX];
    char command[] = "load", silent[] = "-q", output[] = "-o", end[] = "--";
    char *loud[] = {command, output, database, end, log, NULL};
    char *still[] = {command, silent, output, database, end, log, NULL};
    out_file_beside(log, ".db", database, sizeof database);
    out_file_beside(log, ".html", page, sizeof page);
    if ((quiet ? cmd_load(6, still) : cmd_load(5, loud)) == 2)
        return;
    say_digest(database);
    write_page(database, page);
    if (open)
        open_in_browser(database);
}

int cmd_run(int argc, char **argv)
{
    struct record_options options;
    struct recorded recorded = {.status = 0};
    int first = 0, status = record_options_parse(&options, argc, argv, &first);
    if (status == ARGS_GO_ON)
        status = record_program(&options, argv + first, &recorded);
    else
        first = 0;
    if (first > 0 && status == 0) {
        char *log = strdup(options.log);
        signals_inherit(&recorded.signals);
        if (log != NULL && !recorded.nothing && !recorded.interrupted)
            look_at(log, options.quiet, options.summary.open);
        free(log);
        status = record_end_as(recorded.status);
    }
    record_options_release(&options);
    return status;
}
