/*
 * Loading a log, top to bottom: index the log, read the program's symbols, decode its threads side
 * by side, pair its allocations, write the tables, publish the database.
 */
#include "loader/program/program_checksums.h"
#include "loader/loader.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"
#include "base/shortage.h"
#include "loader/sqlite/database.h"
#include "loader/sqlite/insert.h"
#include "live/live_threads.h"
#include "loader/foreign/foreign.h"
#include "loader/load_report.h"
#include "loader/nothing.h"
#include "loader/tables/tables.h"
#include "queries/embedded.h"

#define WORKERS_MAX 64
#define VALUE_ROOM_BYTES (192 << 20) /* for what is counted of values, over all workers */

struct load {
    const char *log_path, *database_path;
    struct load_options options;
    struct load_report *report;
    struct foreign_log foreign; /* made of another tool's recording */
    struct log_index index;
    struct clock_map clock;
    struct hook_costs costs;
    struct program program;
    struct source_checksums checksums;
    struct frames frames;
    struct {
        bool program, frames, index;
    } opened;
    struct memory *memory;
    struct database database;
    struct btree_file *file;
    struct decode_shared shared;
    struct decoded_thread *threads;
    struct rollup rollup;
    struct kept_rows kept; /* of all workers */
    struct {
        struct value_shared shared;
        struct value_calls calls; /* of all workers */
    } values;
    struct helpers helpers;
    struct frames_writing frames_writing;
    uint32_t workers_ended; /* atomic */
    struct {
        uint32_t *items;
        size_t count;
        uint64_t next; /* atomic: index of the threads still to be decoded */
    } order;           /* threads, the largest first */
    struct {
        struct timespec began;
        double progress_s; /* when we reported progress last */
    } time;
};

/* A part of the load in a thread of its own. */
struct aside {
    struct load *load;
    int (*work)(struct load *load, struct error *error);
    struct error error;
    int result;
    pthread_t thread;
};

/* Decodes threads of the log, while there are any; then writes rows for workers that still do. */
struct worker {
    struct load *load;
    bool decodes; /* else it has been a helper from the start */
    struct decoder *decoder;
    struct error error;
    int result;
    pthread_t thread;
};

static double elapsed(const struct load *load)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - load->time.began.tv_sec) +
           (double)(now.tv_nsec - load->time.began.tv_nsec) / 1e9;
}

/* Reports progress: at most some ten times a second, and at the start of a stage. */
static void progress(struct load *load, const char *stage, uint64_t done, uint64_t total)
{
    if (load->options.progress == NULL ||
        (done != 0 && elapsed(load) < load->time.progress_s + 0.09))
        return;
    load->time.progress_s = elapsed(load);
    struct load_progress report = {stage, done, total,
                                   __atomic_load_n(&load->shared.calls_done, __ATOMIC_RELAXED),
                                   elapsed(load)};
    load->options.progress(load->options.progress_context, &report);
}

static void index_progress(void *context, uint64_t done, uint64_t total)
{
    progress(context, "reading", done, total);
}

/* ---- before decoding ---- */

static void say_modules(const struct load *load)
{
    for (size_t i = 0; i < load->program.modules_count; i++) {
        const struct program_module *module = &load->program.modules[i];
        bool vanished =
            module->symbols.problem != NULL &&
            (strcmp(module->symbols.source, "none") == 0 || module->symbols.instrumented);
        if (vanished)
            load_report_say(
                load->report,
                "%s: %s: its functions show %swithout lines: give the folder of its unstripped or "
                "debug file with --symbols, or another / with --sysroot%s",
                module->path, module->symbols.problem,
                load->program.by_others ? "" : "as module+offset or ",
                module->symbols.module_file != NULL && getenv("DEBUGINFOD_URLS") == NULL
                    ? ", or debuginfod's servers in DEBUGINFOD_URLS"
                    : "");
    }
}

static uint64_t ns_at(const void *context, uint32_t process_id, uint64_t tick)
{
    const struct load *load = context;
    for (size_t i = 0; i < load->index.processes_count; i++)
        if (load->index.processes[i].id == process_id)
            return clock_ns(&load->clock.lines[i], tick);
    return 0;
}

static struct symbols_options symbols_options_of(const struct load_options *options)
{
    return (struct symbols_options){.sysroot = options->sysroot,
                                    .symbols_dir = options->symbols_dir,
                                    .cache_dir = options->cache_dir,
                                    .threads = options->threads,
                                    .asking = options->asking,
                                    .asking_context = options->asking_context};
}

/* What lies in the live area is copied before the log is read: what is written meanwhile is in
 * both. */
static int read_log(struct load *load, struct error *error)
{
    struct live_source *live = load->options.live;
    struct log_salvaged unwritten = {0};
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", load->database_path);
    int result = live != NULL ? live_chunks_read(&unwritten, live, error)
                              : foreign_log_make(&load->foreign, load->log_path, dirname(folder),
                                                 index_progress, load, error);
    const char *path = load->foreign.path != NULL ? load->foreign.path : load->log_path;
    load->opened.index = true;
    if (result == 0)
        result = log_index_read(&load->index, path, live != NULL ? &unwritten : NULL,
                                index_progress, load, error);
    live_chunks_release(&unwritten);
    return result;
}

/* Which calls are long is not known without times, and whose locks the log has needs any row. */
static void keep_all_if_needed(struct load *load)
{
    bool locks = log_index_has_option(&load->index, FISQL_OPTION_LOCKS);
    if (load->options.calls != LOAD_CALLS_LONG ||
        (!locks && !log_index_has_option(&load->index, FISQL_OPTION_NO_TIME)))
        return;
    load->options.calls = LOAD_CALLS_ALL;
    load_report_say(load->report, "%s: has %s: the rows of all calls are kept", load->log_path,
                    locks ? "locks, whose holders are found by them" : "no times");
}

static int prepare(struct load *load, struct error *error)
{
    const struct load_options *options = &load->options;
    if (read_log(load, error) != 0 || clock_map_make(&load->clock, &load->index, error) != 0)
        return -1;
    clock_map_end_killed(&load->clock, &load->index);
    keep_all_if_needed(load);
    progress(load, "symbols", 0, 0);
    load->opened.program = true;
    const struct symbols_options symbols = symbols_options_of(options);
    if (program_open(&load->program, &load->index, &symbols, error) != 0)
        return -1;
    say_modules(load);
    if (frames_init(&load->frames, error) != 0)
        return -1;
    load->opened.frames = true;
    if (database_create(&load->database, load->database_path, load->log_path, embedded_schema,
                        error) != 0 ||
        btree_open(load->database.temporary, &load->file, error) != 0)
        return -1;
    write_out_begin(&load->database.write_out, load->database.lock);
    btree_set_write_out(load->file, &load->database.write_out);
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", load->database_path);
    struct memory_options memory = {.folder = dirname(folder), .ns_at = ns_at, .clock = load};
    if (memory_open(&memory, &load->memory, error) != 0)
        return -1;
    for (size_t i = 0; i < load->index.processes_count; i++) {
        const struct log_process *process = &load->index.processes[i];
        bool forked = process->origin != NULL && strcmp(process->origin, FISQL_ORIGIN_FORK) == 0;
        if (memory_process(load->memory, process->id, forked ? process->parent.id : 0,
                           process->fork_tick,
                           process->start_tick == TICK_UNKNOWN ? 0 : process->start_tick,
                           process->end_tick, error) != 0)
            return -1;
    }
    load->shared = (struct decode_shared){
        .index = &load->index,
        .clock = &load->clock,
        .program = &load->program,
        .frames = &load->frames,
        .memory = load->memory,
        .file = options->calls == LOAD_CALLS_NONE ? NULL : load->file,
        .keeps = options->calls == LOAD_CALLS_LONG,
        .kept = {.from_id = (uint64_t)options->from_call, .to_id = (uint64_t)options->to_call},
        .costs = &load->costs,
        .scale = picture_scale_make(&load->index, &load->clock),
        .values = &load->values.shared};
    snprintf(load->values.shared.folder, sizeof load->values.shared.folder, "%s", memory.folder);
    load->values.shared.room.bytes = VALUE_ROOM_BYTES;
    value_calls_init(&load->values.calls, &load->values.shared);
    if (value_types_init(&load->values.shared.types, &load->program, &symbols, error) != 0)
        return -1;
    return hook_costs_make(&load->costs, &load->index, error);
}

/* ---- decoding ---- */

static int by_size(const void *left, const void *right, void *context)
{
    const struct log_thread *threads = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t a_bytes = threads[a].chunk_bytes, b_bytes = threads[b].chunk_bytes;
    return a_bytes != b_bytes ? (a_bytes > b_bytes ? -1 : 1) : (a < b ? -1 : a > b);
}

/* The largest threads first, so that the workers end together. */
static int order_threads(struct load *load, struct error *error)
{
    load->order.items = malloc((load->index.threads_count + 1) * sizeof *load->order.items);
    load->threads = calloc(load->index.threads_count + 1, sizeof *load->threads);
    if (load->order.items == NULL || load->threads == NULL)
        return error_set(error, "out of memory");
    for (uint32_t i = 0; i < load->index.threads_count; i++)
        if (load->index.threads[i].id != 0)
            load->order.items[load->order.count++] = i;
    if (load->order.count > 0)
        qsort_r(load->order.items, load->order.count, sizeof *load->order.items, by_size,
                load->index.threads);
    return 0;
}

static void decode_threads(struct worker *worker)
{
    struct load *load = worker->load;
    worker->result = decoder_open(&worker->decoder, &load->shared, &worker->error);
    while (worker->result == 0) {
        uint64_t at = __atomic_fetch_add(&load->order.next, 1, __ATOMIC_RELAXED);
        if (at >= load->order.count)
            break;
        uint32_t thread = load->order.items[at];
        worker->result =
            decoder_decode_thread(worker->decoder, thread, &load->threads[thread], &worker->error);
    }
    if (worker->result != 0)
        __atomic_store_n(&load->order.next, load->order.count, __ATOMIC_RELAXED);
    decoder_end(worker->decoder);
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct load *load = worker->load;
    if (worker->decodes) {
        decode_threads(worker);
        helpers_leave(&load->helpers, 1);
    }
    row_windows_help(&load->helpers);
    __atomic_fetch_add(&load->workers_ended, 1, __ATOMIC_RELAXED);
    return NULL;
}

static unsigned cores_wanted(const struct load_options *options)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return options->threads != 0 ? options->threads : (unsigned)(cores > 0 ? cores : 1);
}

/* Those that decode, and as many more as there are cores for. */
static unsigned workers_wanted(const struct load *load, unsigned *decoding)
{
    unsigned wanted = cores_wanted(&load->options);
    if (wanted > WORKERS_MAX)
        wanted = WORKERS_MAX;
    *decoding = wanted > load->order.count ? (unsigned)load->order.count : wanted;
    return wanted > 2 * *decoding ? 2 * *decoding : wanted;
}

/* Says what has no position: parameters beyond the thirtieth. */
static int lose_parameters(struct load *load, struct error *error)
{
    static char reason[] = "arguments not recorded";
    char detail[128];
    const struct value_calls *values = &load->values.calls;
    const struct log_loss loss = {.reason = reason,
                                  .detail = detail,
                                  .bytes = UINT64_MAX,
                                  .offset = UINT64_MAX,
                                  .chunks = UINT64_MAX,
                                  .calls = UINT64_MAX,
                                  .from_tick = TICK_UNKNOWN,
                                  .to_tick = TICK_UNKNOWN};
    uint64_t functions = 0;
    for (size_t i = 0; i < values->functions_capacity; i++) {
        const struct value_function *function = values->functions[i];
        for (size_t k = 0; function != NULL && k < function->parameters_count; k++)
            functions += function->parameters[k].more;
    }
    snprintf(detail, sizeof detail, "%llu function%s more than 30 parameters: those behind are not",
             (unsigned long long)functions, functions == 1 ? " has" : "s have");
    return functions == 0 ? 0 : log_index_add_loss(&load->index, &loss, error);
}

static int decode(struct load *load, struct error *error)
{
    struct worker *workers = calloc(WORKERS_MAX, sizeof *workers);
    if (workers == NULL)
        return error_set(error, "out of memory");
    unsigned decoding, started = 0, count = workers_wanted(load, &decoding);
    int result = 0;
    int refused = 0;
    helpers_init(&load->helpers, decoding);
    load->shared.helpers = count > 1 ? &load->helpers : NULL;
    for (; started < count; started++) {
        workers[started].load = load;
        workers[started].decodes = started < decoding;
        refused = pthread_create(&workers[started].thread, NULL, work, &workers[started]);
        if (refused != 0)
            break;
    }
    if (started < decoding)
        helpers_leave(&load->helpers, decoding - started);
    if (started == 0 && count > 0)
        result = error_set(error, "no thread can be started: %s", strerror(refused));
    while (load->options.progress != NULL && result == 0 &&
           __atomic_load_n(&load->workers_ended, __ATOMIC_RELAXED) < started) {
        struct timespec moment = {0, 20000000};
        progress(load, "calls", __atomic_load_n(&load->shared.bytes_done, __ATOMIC_RELAXED),
                 load->index.size_bytes);
        nanosleep(&moment, NULL);
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].result != 0 && result == 0) {
            *error = workers[i].error;
            result = -1;
        }
    }
    for (unsigned i = 0; i < started && i < decoding; i++) {
        if (result == 0)
            result = rollup_merge(&load->rollup, decoder_rollup(workers[i].decoder), error);
        if (result == 0)
            result =
                value_calls_merge(&load->values.calls, decoder_values(workers[i].decoder), error);
        if (result == 0)
            result = kept_rows_merge(&load->kept, decoder_kept(workers[i].decoder), error);
        decoder_close(workers[i].decoder);
    }
    helpers_release(&load->helpers);
    free(workers);
    for (size_t i = 0; i < load->index.threads_count && result == 0; i++)
        /* release() frees what load holds. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        result = decode_losses_merge(&load->threads[i].losses, &load->index, error);
    return result == 0 ? lose_parameters(load, error) : result;
}

/* ---- writing ---- */

static int execute(sqlite3 *database, const char *what, const char *sql, struct error *error)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return error_set_file(error, ERROR_SYSTEM, what, "%s", insert_problem(database));
}

/* As rows of the schema: to parse some seventy queries, twice each, takes longer than to write most
 * tables. Nobody asks for them by this connection. */
static int add_views(const struct load *load, sqlite3 *database, struct error *error)
{
    sqlite3_stmt *insert = NULL;
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    if (load->options.views_count == 0)
        return 0;
    if (execute(database, load->database_path, "PRAGMA writable_schema = ON", error) != 0)
        return -1;
    int status = sqlite3_prepare_v2(database,
                                    "INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql)"
                                    " VALUES ('view', ?1, ?1, 0, ?2)",
                                    -1, &insert, NULL);
    for (size_t i = 0; status == SQLITE_OK && i < load->options.views_count; i++) {
        status = sqlite3_bind_text(insert, 1, load->options.views[i].name, -1, SQLITE_STATIC);
        if (status == SQLITE_OK)
            status = sqlite3_bind_text(insert, 2, load->options.views[i].sql, -1, SQLITE_STATIC);
        if (status == SQLITE_OK) {
            sqlite3_step(insert);
            status = sqlite3_reset(insert);
        }
    }
    sqlite3_finalize(insert);
    return status == SQLITE_OK ? 0
                               : error_set_file(error, ERROR_SYSTEM, load->database_path, "%s",
                                                insert_problem(database));
}

static struct tables tables_of(struct load *load)
{
    return (struct tables){.log_path = load->log_path,
                           .index = &load->index,
                           .clock = &load->clock,
                           .program = &load->program,
                           .checksums = &load->checksums,
                           .frames = &load->frames,
                           .rollup = &load->rollup,
                           .kept = &load->kept,
                           .memory = load->memory,
                           .values = &load->values.calls,
                           .threads = load->threads,
                           .costs = &load->costs,
                           .scale = &load->shared.scale,
                           .options = &load->options};
}

static int name(struct load *load, struct error *error)
{
    struct program *program = &load->program;
    const struct symbols_options symbols = symbols_options_of(&load->options);
    if (program_name_called(program, &symbols, error) != 0 ||
        program_name_sites(program, &symbols, error) != 0)
        return -1;
    program_read_lines(program);
    return program_checksums(program, &symbols, &load->checksums, error);
}

static void say_incidents(const struct load *load, size_t deadlocks)
{
    struct record_cursor incidents = {.threads = load->threads,
                                      .threads_count = load->index.threads_count,
                                      .kinds = 1u << DECODE_INCIDENT};
    size_t count = deadlocks;
    while (record_cursor_next(&incidents) != NULL)
        count++;
    if (count > 0)
        load_report_say(load->report,
                        "the program went wrong: %zu incident%s; see fisql query incidents", count,
                        count == 1 ? "" : "s");
}

static int write_tables(struct load *load, struct error *error)
{
    sqlite3 *database = NULL;
    size_t deadlocks = 0;
    struct tables tables = tables_of(load);
    int result = database_open_temporary(&load->database, &database, error);
    if (result == 0)
        result = execute(database, load->database_path, "BEGIN", error);
    if (result == 0)
        result = tables_write(&tables, database, error);
    if (result == 0)
        result = memory_write(load->memory, database, error);
    if (result == 0)
        result = tables_finish_incidents(&tables, database, &deadlocks, error);
    if (result == 0)
        say_incidents(load, deadlocks);
    if (result == 0)
        result = database_index(&load->database, database, error);
    if (result == 0)
        result = tables_count_system_calls(database, &load->report->system_calls, error);
    if (load->program.by_others) /* `fisql cc` has nothing to leave out */
        load->report->system_calls = 0;
    if (result == 0)
        result = add_views(load, database, error);
    if (result == 0)
        result = execute(database, load->database_path, "COMMIT", error);
    if (result == 0 && load->options.index)
        result =
            database_index_calls(&load->database, database, cores_wanted(&load->options), error);
    if (sqlite3_close(database) != SQLITE_OK && result == 0)
        result = error_set_file(error, ERROR_SYSTEM, load->database_path, "cannot be closed");
    return result;
}

/* ---- tables that are written page by page ---- */

static int write_calls(struct load *load, struct error *error)
{
    struct tables tables = tables_of(load);
    if (tables_finish_calls(&tables, load->file, error) != 0 ||
        memory_pair(load->memory, load->file, decoded_threads_end_ns(&load->index, load->threads),
                    error) != 0)
        return -1;
    return nothing_check(&load->index, &load->program,
                         decoded_threads_calls(&load->index, load->threads),
                         memory_rows(load->memory), error);
}

static int name_and_index(struct load *load, struct error *error)
{
    struct tables tables = tables_of(load);
    return name(load, error) != 0
               ? -1
               : tables_frames_begin(&load->frames_writing, &tables, load->file, error);
}

static int write_frames(struct load *load, struct error *error)
{
    return tables_frames_write(&load->frames_writing, error);
}

static void *work_aside(void *context)
{
    struct aside *aside = context;
    aside->result = aside->work(aside->load, &aside->error);
    return NULL;
}

/* Does both, at the same time where there is a core for that; else `aside` before `here`. */
static int do_both(struct load *load, int (*here)(struct load *load, struct error *error),
                   int (*aside)(struct load *load, struct error *error), struct error *error)
{
    struct aside other = {.load = load, .work = aside, .error = {.offset = ERROR_NO_OFFSET}};
    /* Where no call was recorded nothing_check() asks the program, which the other one changes. */
    bool begun = cores_wanted(&load->options) > 1 &&
                 decoded_threads_calls(&load->index, load->threads) > 0 &&
                 pthread_create(&other.thread, NULL, work_aside, &other) == 0;
    if (!begun)
        work_aside(&other);
    int result = other.result == 0 || begun ? here(load, error) : 0;
    if (begun)
        pthread_join(other.thread, NULL);
    if (other.result != 0)
        *error = other.error;
    return other.result != 0 ? other.result : result;
}

/* Naming stays in this thread: it allocates a lot, and another thread's heap grows by a system call
 * for each page, which interrupts all cores. */
static int write_pages(struct load *load, struct error *error)
{
    struct tables tables = tables_of(load);
    if (do_both(load, name_and_index, write_calls, error) != 0 ||
        do_both(load, write_frames, write_frames, error) != 0 ||
        tables_frames_end(&load->frames_writing, error) != 0 ||
        tables_write_valued_calls(&tables, load->file, error) != 0 ||
        tables_write_long_calls(&tables, load->file, error) != 0)
        return -1;
    struct btree_file *file = load->file;
    load->file = NULL;
    return btree_close(file, error);
}

/* The file is sqlite3's or ours (btree.h), never both's. */
static int load_all(struct load *load, struct error *error)
{
    if (prepare(load, error) != 0 || order_threads(load, error) != 0 || decode(load, error) != 0)
        return -1;
    progress(load, "memory", 0, 0);
    write_out_keep(&load->database.write_out); /* most queries ask for what follows */
    int result = write_pages(load, error);
    progress(load, "tables", 0, 0);
    if (result != 0)
        return -1;
    must(load->file == NULL);
    if (write_tables(load, error) != 0)
        return -1;
    if (shortage_noted() != 0)
        return error_set_file(error, ERROR_SYSTEM, load->log_path,
                              "what its program is made of cannot be read: %s",
                              strerror(shortage_noted()));
    return database_publish(&load->database, error);
}

static void fill_report(struct load *load)
{
    struct load_report *report = load->report;
    report->log_bytes = load->index.size_bytes;
    report->chunks = load->index.chunks_sound;
    report->processes = load->index.processes_count;
    report->losses = load->index.losses_count;
    report->ring_calls = load->index.ring_calls;
    report->earlier_calls = load->index.facts.earlier.calls;
    report->continued = log_index_fact(&load->index, FISQL_FACT_RUN_CONTINUED) != NULL;
    report->live = load->index.salvaged.live;
    for (size_t i = 0; i < load->index.threads_count && load->threads != NULL; i++) {
        report->threads += load->index.threads[i].id != 0;
        report->calls += load->threads[i].calls;
        report->counted_calls += load->threads[i].counted;
    }
    for (size_t i = 0; i < load->index.losses_count; i++) {
        const struct log_loss *loss = &load->index.losses[i];
        char calls[64] = "";
        if (loss->calls != UINT64_MAX) {
            report->lost_calls += loss->calls;
            snprintf(calls, sizeof calls, ": %llu calls", (unsigned long long)loss->calls);
        }
        load_report_say(report, "%s: %s%s%s%s", load->log_path, loss->reason, calls,
                        loss->detail != NULL ? ": " : "", loss->detail != NULL ? loss->detail : "");
    }
    if (load->memory != NULL)
        report->allocs = memory_rows(load->memory);
    report->elapsed_s = elapsed(load);
}

static void release(struct load *load)
{
    for (size_t i = 0; load->threads != NULL && i < load->index.threads_count; i++)
        decoded_thread_release(&load->threads[i]);
    free(load->threads);
    free(load->order.items);
    tables_frames_release(&load->frames_writing);
    kept_rows_release(&load->kept);
    rollup_release(&load->rollup);
    value_calls_release(&load->values.calls);
    value_shared_release(&load->values.shared);
    memory_close(load->memory);
    btree_abandon(load->file);
    database_release(&load->database);
    if (load->opened.frames)
        frames_release(&load->frames);
    if (load->opened.program)
        program_release(&load->program);
    program_checksums_release(&load->checksums);
    clock_map_release(&load->clock);
    hook_costs_release(&load->costs);
    if (load->opened.index)
        log_index_release(&load->index);
    foreign_log_close(&load->foreign);
}

#define CONTEXTS_MANY 1000000u /* take some 250 bytes each */

/* What many contexts take is the program's doing, and can be helped. */
static void explain_memory(const struct load *load, struct error *error)
{
    uint32_t contexts = load->opened.frames ? frames_count(&load->frames) : 0;
    if (contexts < CONTEXTS_MANY || strcmp(error->text, "out of memory") != 0)
        return;
    error_set_file(
        error, ERROR_SYSTEM, load->log_path,
        "out of memory: %u calling contexts so far take some %u MB: load it where there is "
        "more, or record less (--exclude, --only, --depth)",
        contexts, contexts / 4000);
}

int fisql_load(const char *log_path, const char *database_path, const struct load_options *options,
               struct load_report *report, struct error *error)
{
    struct load load = {.log_path = log_path,
                        .database_path = database_path,
                        .options = options != NULL ? *options : (struct load_options){0},
                        .report = report,
                        .database = {.lock = -1}};
    *report = (struct load_report){0};
    *error = (struct error){.offset = ERROR_NO_OFFSET};
    clock_gettime(CLOCK_MONOTONIC, &load.time.began);
    shortage_forget();
    int result = load_all(&load, error) == 0 ? 0 : 2;
    if (result != 0)
        explain_memory(&load, error);
    fill_report(&load);
    if (result == 0 && report->losses > 0)
        result = 1;
    release(&load);
    return result;
}
