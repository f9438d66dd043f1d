/*
 * What memory.h says of the cases that random programs do not reach: wrong frees, blocks whose free
 * is lost, gaps in the log, forked children, ends of processes. Each case is a list of events by
 * hand; then SQL asks the tables.
 */
#include "loader/memory/memory.h"
#include "queries/embedded.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>

enum { MALLOC = FISQL_KIND_MALLOC, FREE = FISQL_KIND_FREE, DELETE = FISQL_KIND_DELETE, SITE = 5 };

struct load {
    struct memory *memory;
    struct btree_file *file;
    struct memory_thread *threads[8]; /* by id */
    sqlite3 *database;
    struct error error;
    bool failed;
};

static char path[512];

static uint64_t ns_at(const void *clock, uint32_t process_id, uint64_t tick)
{
    (void)clock;
    (void)process_id;
    return tick;
}

static struct load load_begin(void)
{
    struct load load = {0};
    sqlite3 *empty = NULL;
    struct memory_options options = {.folder = "/tmp", .ns_at = ns_at};
    unlink(path);
    sqlite3_open(path, &empty);
    sqlite3_exec(empty, embedded_schema, NULL, NULL, NULL);
    sqlite3_close(empty);
    load.failed = memory_open(&options, &load.memory, &load.error) < 0 ||
                  btree_open(path, &load.file, &load.error) < 0;
    return load;
}

static void begin(struct load *load, uint32_t thread, uint32_t process)
{
    load->failed |= memory_thread_begin(load->memory, thread, process, &load->threads[thread],
                                        &load->error) < 0;
}

static void process(struct load *load, uint32_t id, uint32_t parent, uint64_t start, uint64_t end)
{
    load->failed |= memory_process(load->memory, id, parent, 0, start, end, &load->error) < 0;
}

/* A process that was forked between two ticks. */
static void forked(struct load *load, uint32_t id, uint32_t parent, uint64_t fork, uint64_t start)
{
    load->failed |=
        memory_process(load->memory, id, parent, fork, start, UINT64_MAX, &load->error) < 0;
}

static const struct memory_stack no_calls = {NULL, 0, 0};

static void alloc(struct load *load, uint32_t thread, uint64_t tick, uint64_t address,
                  uint64_t size)
{
    load->failed |= memory_alloc(load->threads[thread], tick, MALLOC, SITE, address, size,
                                 &no_calls, &load->error) < 0;
}

static void release(struct load *load, uint32_t thread, uint64_t tick, uint64_t address)
{
    load->failed |=
        memory_free(load->threads[thread], tick, FREE, SITE, address, &no_calls, &load->error) < 0;
}

static void load_end(struct load *load, const char *what)
{
    for (uint32_t i = 0; i < 8; i++)
        if (load->threads[i] != NULL)
            load->failed |= memory_thread_end(load->threads[i], &load->error) < 0;
    load->failed |= memory_pair(load->memory, load->file, 1000, &load->error) < 0;
    load->failed |= btree_close(load->file, &load->error) < 0;
    sqlite3_open(path, &load->database);
    load->failed |= memory_write(load->memory, load->database, &load->error) < 0;
    check(!load->failed, "%s: loaded %s", what, load->error.text);
}

static void load_release(struct load *load)
{
    sqlite3_close(load->database);
    memory_close(load->memory);
    unlink(path);
}

/* Rows as text, columns by '|', rows by ' '. */
static void expect(struct load *load, const char *sql, const char *expected, const char *what)
{
    char actual[1024] = "";
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(load->database, sql, -1, &statement, NULL) != SQLITE_OK)
        snprintf(actual, sizeof actual, "%s", sqlite3_errmsg(load->database));
    while (statement != NULL && sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);
            size_t used = strlen(actual);
            snprintf(actual + used, sizeof actual - used, "%s%s",
                     i > 0 ? "|" : (used > 0 ? " " : ""), text != NULL ? text : "-");
        }
    }
    sqlite3_finalize(statement);
    check_string(expected, actual, what);
}

static const char blocks[] =
    "SELECT id, free_ns, free_thread_id, realloc_of FROM allocs ORDER BY id";
static const char wrong[] = "SELECT error, address, ns, alloc_id FROM free_errors ORDER BY id";

static void test_wrong_frees(void)
{
    struct load load = load_begin();
    begin(&load, 1, 1);
    alloc(&load, 1, 10, 1000, 64); /* 1 */
    alloc(&load, 1, 20, 2000, 64); /* 2 */
    release(&load, 1, 30, 1000);
    release(&load, 1, 40, 1000);  /* twice */
    release(&load, 1, 50, 2008);  /* inside */
    release(&load, 1, 60, 2064);  /* just behind */
    release(&load, 1, 70, 5000);  /* never a block */
    alloc(&load, 1, 80, 1000, 8); /* 3 */
    release(&load, 1, 90, 1000);
    release(&load, 1, 100, 1000);   /* twice, of the later block */
    alloc(&load, 1, 110, 990, 100); /* 4, around where 3 was */
    release(&load, 1, 120, 1000);   /* now inside */
    release(&load, 1, 130, 990);
    release(&load, 1, 140, 995); /* inside of what lives no longer */
    load_end(&load, "wrong frees");
    expect(&load, wrong,
           "double|1000|40|1 inside|2008|50|2 unknown|2064|60|- unknown|5000|70|- "
           "double|1000|100|3 inside|1000|120|4 unknown|995|140|-",
           "each wrong free is named");
    expect(&load, blocks, "1|30|1|- 2|-|-|- 3|90|1|- 4|130|1|-", "and frees no block");
    expect(&load, "SELECT value FROM run WHERE key = 'total_frees'", "3", "nor counts as a free");
    load_release(&load);
}

static void test_threads(void)
{
    struct load load = load_begin();
    begin(&load, 1, 1);
    begin(&load, 2, 1);
    alloc(&load, 1, 10, 1000, 64);
    release(&load, 2, 20, 1000);
    alloc(&load, 2, 20, 1000, 32); /* at the tick of the free */
    release(&load, 1, 30, 1000);   /* not the block that thread 1 knows there */
    alloc(&load, 1, 40, 3000, 8);
    load.failed |= memory_free(load.threads[1], 50, DELETE, SITE, 3000, &no_calls, &load.error) < 0;
    alloc(&load, 2, 60, 4000, 8);
    release(&load, 1, 60, 4000); /* at the tick of the allocation: logged before, so not of it */
    load_end(&load, "threads");
    expect(&load, "SELECT id, thread_id, free_thread_id, allocs_between, free_kind FROM allocs",
           "1|1|2|-|free 2|2|1|-|free 3|1|1|0|delete 4|2|-|-|-",
           "frees find the blocks of other threads");
    expect(&load,
           "SELECT alloc_thread_id, free_thread_id, blocks, mismatched, example_mismatch_id"
           " FROM block_flows ORDER BY 1, 2",
           "1|1|1|1|3 1|2|1|0|- 2|1|1|0|-", "flows go between threads");
    expect(&load, "SELECT error FROM free_errors", "unknown", "a free before its allocation");
    load_release(&load);
}

static void test_lost_free(void)
{
    struct load load = load_begin();
    begin(&load, 1, 1);
    alloc(&load, 1, 10, 1000, 64);
    alloc(&load, 1, 20, 1000, 16);
    release(&load, 1, 30, 1000);
    load_end(&load, "lost free");
    expect(&load, blocks, "1|-|-|- 2|30|1|-", "a block whose free is lost is not freed");
    expect(&load, "SELECT kind, thread_id, ns FROM anomalies", "impossible|1|20",
           "and that is an anomaly");
    expect(&load, "SELECT value FROM run WHERE key IN ('peak_bytes', 'peak_blocks') ORDER BY key",
           "1 64", "and it lives no longer");
    expect(&load, "SELECT count(*) FROM losses", "0", "nothing else is lost");
    load_release(&load);
}

static void test_gap(void)
{
    struct load load = load_begin();
    begin(&load, 1, 1);
    begin(&load, 2, 2);
    release(&load, 1, 5, 7000);
    alloc(&load, 1, 10, 1000, 64);
    memory_gap(load.threads[1], 15);
    release(&load, 1, 20, 8000);
    alloc(&load, 1, 30, 1000, 16);
    release(&load, 2, 40, 9000);
    load_end(&load, "gap");
    expect(&load, wrong, "unknown|7000|5|- unknown|9000|40|-",
           "a free after a gap of its process may be right");
    expect(&load, "SELECT reason, events FROM losses ORDER BY id",
           "unknown frees|1 missing frees|1", "and is counted");
    expect(&load, "SELECT count(*) FROM anomalies", "0", "a free that the gap swallowed is none");
    load_release(&load);
}

static void test_fork(void)
{
    struct load load = load_begin();
    process(&load, 1, 0, 0, UINT64_MAX);
    process(&load, 2, 1, 50, UINT64_MAX);
    process(&load, 3, 2, 70, UINT64_MAX);
    begin(&load, 1, 1);
    begin(&load, 2, 2);
    begin(&load, 3, 3);
    alloc(&load, 1, 10, 1000, 64); /* 1 */
    alloc(&load, 1, 20, 2000, 64); /* 2 */
    alloc(&load, 1, 30, 3000, 64); /* 3 */
    release(&load, 1, 40, 3000);
    release(&load, 2, 60, 1000);
    load.failed |= memory_realloc(load.threads[2], 61, 62, SITE, 2000, 4000, 100, &no_calls,
                                  &load.error) < 0; /* 4 */
    release(&load, 2, 63, 1000);                    /* twice in the child */
    release(&load, 3, 80, 4000);                    /* inherited by the grandchild */
    release(&load, 1, 90, 1000);                    /* the parent's own */
    release(&load, 2, 100, 4000);
    release(&load, 2, 110, 3000); /* freed before the fork */
    load_end(&load, "fork");
    expect(&load, blocks, "1|90|1|- 2|-|-|- 3|40|1|- 4|100|2|2",
           "a child's frees leave its parent's blocks alone");
    expect(&load, wrong, "double|1000|63|1", "but not twice");
    expect(&load, "SELECT count(*) FROM losses WHERE reason = 'unknown frees'", "1",
           "a free of what the parent freed around the fork is not judged");
    load_release(&load);
}

/* The fork came somewhere between ticks 50 and 60. */
static void test_fork_between(void)
{
    struct load load = load_begin();
    process(&load, 1, 0, 0, UINT64_MAX);
    forked(&load, 2, 1, 50, 60);
    begin(&load, 1, 1);
    begin(&load, 2, 2);
    begin(&load, 3, 1); /* another thread of the parent */
    alloc(&load, 1, 10, 1000, 64);
    alloc(&load, 1, 20, 2000, 64);
    release(&load, 1, 40, 2000);
    release(&load, 1, 52, 1000);   /* by the parent, after the fork */
    alloc(&load, 3, 54, 3000, 64); /* before it, perhaps */
    alloc(&load, 3, 61, 4000, 64);
    release(&load, 2, 70, 1000);
    release(&load, 2, 71, 3000);
    release(&load, 2, 72, 3000); /* twice */
    release(&load, 2, 73, 2000); /* the parent freed it before */
    release(&load, 2, 74, 4000); /* allocated after the fork */
    load_end(&load, "fork between two ticks");
    expect(&load, wrong, "double|3000|72|3 unknown|2000|73|- unknown|4000|74|-",
           "a child has what lived at either tick, and nothing else");
    expect(&load, "SELECT count(*) FROM losses WHERE reason = 'unknown frees'", "0",
           "what it frees beside is judged");
    load_release(&load);
}

static void test_process_end(void)
{
    struct load load = load_begin();
    process(&load, 1, 0, 0, 100);
    process(&load, 2, 0, 110, 300);
    begin(&load, 1, 1);
    begin(&load, 2, 2);
    alloc(&load, 1, 10, 1000, 70);
    alloc(&load, 2, 120, 1000, 40);
    alloc(&load, 2, 130, 2000, 20);
    load_end(&load, "ends of processes");
    expect(&load, "SELECT value FROM run WHERE key LIKE 'peak%' ORDER BY key", "1 70 10",
           "memory of a process that ended counts no longer");
    expect(&load,
           "SELECT live_bytes FROM memory_steps WHERE thread_id = 0"
           " AND step IN (0, 5, 52, 60, 499) ORDER BY step",
           "0 70 0 40 60", "and the timeline shows it");
    expect(&load, "SELECT count(*) FROM allocs WHERE free_ns IS NOT NULL", "0", "it is not freed");
    expect(&load, "SELECT count(*) FROM anomalies", "0", "its address may be used again");
    load_release(&load);
}

static void test_chains(void)
{
    struct load load = load_begin();
    begin(&load, 1, 1);
    alloc(&load, 1, 10, 1000, 8);
    uint64_t addresses[] = {1000, 2000, 2000, 3000};
    for (uint64_t i = 0; i < 3; i++)
        load.failed |= memory_realloc(load.threads[1], 20 + i * 10, 25 + i * 10, SITE, addresses[i],
                                      addresses[i + 1], 16 << i, &no_calls, &load.error) < 0;
    alloc(&load, 1, 60, 5000, 8);
    load.failed |=
        memory_realloc(load.threads[1], 70, 71, SITE, 5000, 5000, 9, &no_calls, &load.error) < 0;
    load.failed |=
        memory_realloc(load.threads[1], 80, 81, SITE, 9999, 6000, 9, &no_calls, &load.error) < 0;
    load_end(&load, "chains");
    expect(&load,
           "SELECT first_alloc_id, last_alloc_id, length, moves, copied_bytes, first_size,"
           " last_size FROM alloc_chains",
           "1|4|3|2|40|8|64", "a chain of two reallocs or more is a row");
    expect(&load, blocks, "1|20|1|- 2|30|1|1 3|40|1|2 4|-|-|3 5|70|1|- 6|-|-|5 7|-|-|-",
           "each realloc frees a row and makes another");
    expect(&load, wrong, "unknown|9999|80|-", "a realloc of no block is wrong");
    load_release(&load);
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    snprintf(path, sizeof path, "%s/memory_cases.db", folder != NULL ? folder : "/tmp");
    test_wrong_frees();
    test_threads();
    test_lost_free();
    test_gap();
    test_fork();
    test_fork_between();
    test_process_end();
    test_chains();
    return check_status();
}
