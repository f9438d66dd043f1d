/* fisql pull: gives a run back as a database. */
#include "cli/commands.h"
#include "cli/fleet/archive.h"
#include "cli/fleet/choose.h"
#include "cli/fleet/store.h"
#include "cli/out/args.h"
#include "cli/out/interrupts.h"
#include "cli/out/out_file.h"
#include "cli/out/say.h"
#include "cli/run/run_view.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: fisql pull [OPTION...] FLEET RUN\n"
    "\n"
    "Gives one of many runs back as a database that every command works on. RUN is a run's id or "
    "its\n"
    "first 6 digits and more, or a label that one run alone has. Without the rows of single calls, "
    "where\n"
    "the run was not pushed with --calls: it is then as `fisql load --summary` makes it.\n"
    "\n"
    "  -o, --output FILE  the database to write (RUN.db)\n"
    "  -q, --quiet        say nothing but errors\n"
    "\n"
    "example: fisql pull fleet.db version=1.0 -o pulled.db\n";

struct wanted {
    struct store store;
    int64_t run_id, parts, bytes;
    char run[64];
    bool calls;
};

static int find_run(struct wanted *wanted, const char *name)
{
    struct store *store = &wanted->store;
    sqlite3_stmt *row = NULL;
    int status = choose_begin(store);
    if (status == 0)
        status = choose_add(store, "pull", name, 1);
    if (status != 0)
        return status;
    int64_t found = run_integer(store->local, "SELECT count(*) FROM temp.chosen", 0);
    if (found != 1)
        return fail(
            "%s: are %lld runs: name one, by its id; `fisql fleet runs -p runs=%s` lists them",
            name, (long long)found, name);
    if (sqlite3_prepare_v2(store->local,
                           "SELECT run_id, parts, database_bytes, run, has_calls FROM runs"
                           " WHERE run_id IN (SELECT run_id FROM temp.chosen)",
                           -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        const char *run = (const char *)sqlite3_column_text(row, 3);
        wanted->run_id = sqlite3_column_int64(row, 0);
        wanted->parts = sqlite3_column_int64(row, 1);
        wanted->bytes = sqlite3_column_int64(row, 2);
        wanted->calls = sqlite3_column_int(row, 4) != 0;
        snprintf(wanted->run, sizeof wanted->run, "%s", run != NULL ? run : "");
    }
    return sqlite3_finalize(row) == SQLITE_OK
               ? 0
               : fail("%s: %s", store->url, sqlite3_errmsg(store->local));
}

static int get_part(void *context, int64_t number, void **bytes, size_t *size_bytes)
{
    struct wanted *wanted = context;
    return store_read_part(&wanted->store, wanted->run_id, number, bytes, size_bytes);
}

static int write_run(struct wanted *wanted, const char *output, bool quiet)
{
    char named[96];
    const char *const inputs[] = {wanted->store.url};
    struct out_file out;
    if (output == NULL && strspn(wanted->run, "0123456789abcdef") != strlen(wanted->run))
        return fail("%s: its id is none that a recording has: name the database with -o",
                    wanted->run);
    snprintf(named, sizeof named, "%s.db", wanted->run);
    const char *path = output != NULL ? output : named;
    interrupts_remove_unfinished();
    int status = out_file_open(&out, path, inputs, 1);
    if (status != 0)
        return status;
    status =
        archive_unpack(get_part, wanted, wanted->parts, wanted->bytes, wanted->run, out.stream);
    if (status == 0 && out.beside[0] != '\0' && fflush(out.stream) == 0)
        status = archive_add_views(out.beside);
    status = out_file_close(&out, status);
    if (status == 0 && !quiet)
        note("%s: run %s%s", path, wanted->run,
             wanted->calls ? "" : ", without the rows of its calls (push --calls keeps them)");
    return status;
}

int cmd_pull(int argc, char **argv)
{
    static const struct args_option known[] = {
        {"output", 'o', true}, {"quiet", 'q', false}, {NULL, 0, false}};
    const char *output = NULL;
    bool quiet = false;
    struct wanted wanted = {.calls = false};
    struct args args = {.command = "pull", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        if (args.code == 'o')
            output = args.value;
        quiet |= args.code == 'q';
    }
    if (args.status == ARGS_GO_ON && args_words(&args) != 2)
        return fail("pull: wants a file of many runs and one of them: fisql pull fleet.db RUN");
    const char *url = args_word(&args, NULL), *name = args_word(&args, NULL);
    int status = args_end(&args);
    if (status != ARGS_GO_ON)
        return status;
    status = store_open(&wanted.store, url, NULL, false);
    if (status == 0)
        status = find_run(&wanted, name);
    if (status == 0)
        status = write_run(&wanted, output, quiet);
    store_close(&wanted.store);
    return status;
}
