/* fisql ps: the programs that are being recorded now. */
#include "cli/commands.h"
#include "cli/live/live_find.h"
#include "cli/live/live_totals.h"
#include "cli/out/args.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: fisql ps [OPTION...]\n"
    "\n"
    "Lists the processes that are being recorded now: yours, or those of all users if root asks.\n"
    "`recorder` is the PID of fisql record, empty if the program runs without it; `calls` counts "
    "the\n"
    "calls entered so far; `log_bytes` is the log's size; `lost` counts the calls that could not "
    "be\n"
    "written.\n"
    "\n"
    "      --format FORMAT      table, csv, json or markdown (table)\n"
    "\n"
    "Exit status: 0 done, 1 no program is recorded, 2 not done.\n"
    "\n"
    "example: fisql ps\n";

static const char create[] =
    "CREATE TABLE ps(pid, recorder, threads, calls, lost, log_bytes, log, command)";
static const char insert[] = "INSERT INTO ps VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

static int add_process(sqlite3_stmt *row, struct live_run *run, const struct live_image *image,
                       const struct live_totals *totals)
{
    char command[4096];
    live_command((pid_t)image->pid, command, sizeof command);
    sqlite3_reset(row);
    sqlite3_clear_bindings(row);
    sqlite3_bind_int64(row, 1, image->pid);
    if (run->recorder != 0)
        sqlite3_bind_int64(row, 2, run->recorder);
    sqlite3_bind_int64(row, 3, (int64_t)totals->threads);
    sqlite3_bind_int64(row, 4, (int64_t)totals->calls);
    sqlite3_bind_int64(row, 5, (int64_t)run->source.area.lost_calls);
    if (run->log_file >= 0)
        sqlite3_bind_int64(row, 6, (int64_t)totals->log_bytes);
    if (run->log != NULL)
        sqlite3_bind_text(row, 7, run->log, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(row, 8, command, -1, SQLITE_TRANSIENT);
    return sqlite3_step(row) == SQLITE_DONE
               ? 0
               : fail("ps: %s", sqlite3_errmsg(sqlite3_db_handle(row)));
}

static bool image_has(const struct live_images *images, uint32_t pid)
{
    for (size_t i = 0; i < images->count; i++)
        if (images->items[i].pid == pid)
            return true;
    return false;
}

static int add_run(sqlite3_stmt *row, struct live_run *run)
{
    struct live_images images;
    struct error error;
    int status = 0;
    if (live_images_read(&images, &run->source, &error) != 0)
        return fail("%s", error.text);
    for (size_t i = 0; i < images.count && status == 0; i++) {
        struct live_totals totals;
        if (live_totals_read(&totals, run, &images.items[i], &error) != 0)
            status = fail("%s", error.text);
        else
            status = add_process(row, run, &images.items[i], &totals);
    }
    for (size_t i = 0; i < run->pids_count && status == 0; i++) { /* that have not called yet */
        const struct live_image image = {.pid = (uint32_t)run->pids[i]};
        const struct live_totals none = {.log_bytes = 0};
        if (!image_has(&images, image.pid) && live_records(run, run->pids[i]))
            status = add_process(row, run, &image, &none);
    }
    free(images.items);
    return status;
}

static int print(sqlite3 *rows, enum output_format format, long *count)
{
    static const struct output_column columns[] = {
        {"pid", UNIT_NONE, TEXT_WORDS, 9},     {"recorder", UNIT_NONE, TEXT_WORDS, 2},
        {"threads", UNIT_NONE, TEXT_WORDS, 4}, {"calls", UNIT_NONE, TEXT_WORDS, 8},
        {"lost", UNIT_NONE, TEXT_WORDS, 5},    {"log_bytes", UNIT_BYTES, TEXT_WORDS, 6},
        {"log", UNIT_NONE, TEXT_PLACE, 3},     {"command", UNIT_NONE, TEXT_WORDS, 7}};
    sqlite3_stmt *select = NULL;
    if (sqlite3_prepare_v2(rows, "SELECT * FROM ps ORDER BY pid", -1, &select, NULL) != SQLITE_OK)
        return fail("ps: %s", sqlite3_errmsg(rows));
    const struct output_source source = {.statement = select,
                                         .columns = columns,
                                         .columns_max = sizeof columns / sizeof columns[0],
                                         .limit = -1,
                                         .width_max = terminal_columns(),
                                         .say_left_out = true};
    int result = output_rows(stdout, format, &source, count);
    sqlite3_finalize(select);
    return result == SQLITE_DONE ? 0 : fail("ps: %s", sqlite3_errmsg(rows));
}

static int list(const struct live_runs *runs, enum output_format format)
{
    sqlite3 *rows = NULL;
    sqlite3_stmt *row = NULL;
    long count = 0;
    int status = 0;
    if (sqlite3_open(":memory:", &rows) != SQLITE_OK ||
        sqlite3_exec(rows, create, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(rows, insert, -1, &row, NULL) != SQLITE_OK)
        status = fail("ps: %s", sqlite3_errmsg(rows));
    for (size_t i = 0; i < runs->count && status == 0; i++)
        status = add_run(row, &runs->items[i]);
    sqlite3_finalize(row);
    if (status == 0)
        status = print(rows, format, &count);
    sqlite3_close(rows);
    return status == 0 && count == 0 ? 1 : status;
}

int cmd_ps(int argc, char **argv)
{
    enum { FORMAT = 256 };
    static const struct args_option known[] = {{"format", FORMAT, true}, {NULL, 0, false}};
    struct args args = {.command = "ps", .help = help, .options = known};
    enum output_format format = OUTPUT_TABLE;
    struct live_runs runs;
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (!output_format_parse(args.value, &format))
            return args_wrong(&args, "table, csv, json or markdown");
    int status = args_end(&args);
    if (status != ARGS_GO_ON)
        return status;
    status = live_runs_find(&runs, 0, true);
    if (status == 0)
        status = list(&runs, format);
    live_runs_release(&runs);
    return status;
}
