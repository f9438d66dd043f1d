/*
 * The digest of the small run (tests/fixtures/small.sql), and of the same with times of waiting,
 * errors and losses: what it says stands here in full.
 */
#include "tests/unit/check.h"

#include "cli/query/digest.h"
#include "cli/query/query_file.h"
#include "cli/query/verdicts.h"
#include "queries/embedded.h"

#include <sqlite3.h>
#include <stdlib.h>

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static sqlite3 *open_run(const char *more_sql)
{
    sqlite3 *database = NULL;
    char *run = read_whole("tests/fixtures/small.sql");
    bool sound = run != NULL && sqlite3_open(":memory:", &database) == SQLITE_OK &&
                 sqlite3_exec(database, embedded_schema, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, run, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, more_sql, NULL, NULL, NULL) == SQLITE_OK;
    check(sound, "the run loads: %s", database != NULL ? sqlite3_errmsg(database) : "none");
    free(run);
    return database;
}

/* Caller frees. */
static char *digest_of(const char *more_sql, const char *path)
{
    sqlite3 *database = open_run(more_sql);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    check_equal(0, digest_print(database, path, out), "the digest is made");
    fclose(out);
    sqlite3_close(database);
    return text;
}

static void whole(void)
{
    char *text = digest_of("INSERT INTO run VALUES ('command', 'shop --now'), ('peak_bytes', 4196)",
                           "run.db");
    check_string(
        "shop --now\n"
        "100.00 us long, 170.00 us on processors; 2 threads, 11 calls; exit status 0\n"
        "\n"
        "CPU time       60.00 us  35.3%  worker (main.c:50), 1 call\n"
        "               40.00 us  23.5%  work (main.c:40), 1 call\n"
        "               30.00 us  17.6%  parse (parse.cc:5), 2 calls\n"
        "               20.00 us  11.8%  ns::next<int> (parse.cc:30), 5 calls\n"
        "               10.00 us   5.9%  main (main.c:10), 1 call\n"
        "Waiting      no thread waited\n"
        "Allocations  3 blocks, 4.2 KiB; 4.1 KiB at most live; 0% freed at once; most by work "
        "(main.c:40)\n"
        "Not freed    1 block, 100 B; most by parse (parse.cc:5)\n"
        "Errors       none seen; the recording is complete\n"
        "Dead code    1 of 7 functions with hooks never called, 32 B of code\n"
        "More         fisql query NAME: hot-functions, not-freed, dead-code\n"
        "\n"
        "No finding: no error was seen, and nothing reaches what is looked for. The largest things "
        "are\n"
        "-  worker (main.c:50) takes 60.00 us in its own code, in 1 call, 35.3% of CPU time: fisql "
        "query hot-functions\n"
        "   next: fisql run --library-calls shop --now\n"
        "-  work (main.c:42) holds 4.0 KiB in 1 block at the peak, 97.6% of peak memory: fisql "
        "query "
        "peak-memory\n"
        "   next: fisql query memory-timeline\n"
        "-  work (main.c:40) takes 40.00 us in its own code, in 1 call, 23.5% of CPU time: fisql "
        "query hot-functions\n"
        "   next: fisql run --library-calls shop --now\n"
        "\n"
        "Checked      errors; CPU time from 1%; waits from 5% of the waiting threads' time and 10 "
        "ms; memory lost or gathered from 10% of the peak, or 1000 blocks\n"
        "Not checked  who holds the locks: fisql run --locks shop --now\n"
        "             what libraries take of worker's time: fisql run "
        "--library-calls shop --now\n"
        "             repeated results, ignored errors: fisql run --values shop --now\n"
        "             what happens where calls fail: fisql faults shop --now\n",
        text, "the digest of the small run");
    free(text);
}

static void waiting(void)
{
    char *text = digest_of("UPDATE function_stats SET self_wait_ns = 55000, self_waits = 3"
                           " WHERE function_id = 5;"
                           "INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns,"
                           " wait_ns, preempted_ns) VALUES (1, 2, 10, 5, 30000, 55000, 55000, 0)",
                           "it's.db");
    check(strstr(text, "115.00 us on processors") != NULL, "processor time is added up");
    check(strstr(text, "CPU time       40.00 us  34.8%  work (main.c:40), 1 call\n") != NULL,
          "functions are in the order of processor time");
    check(
        strstr(text,
               "Waiting        55.00 us 100.0%  worker (main.c:50), 3 waits, begins a thread\n") !=
            NULL,
        "who waits is told");
    check(strstr(text, ": hot-functions, waiting, ") != NULL, "and what shows more");
    check(strstr(text, "fisql query NAME 'it'\\''s.db'") != NULL, "a path is quoted");
    free(text);
    text = digest_of("UPDATE function_stats SET self_wait_ns = 55000, self_waits = 3"
                     " WHERE function_id = 5;"
                     "UPDATE function_stats SET self_wait_ns = 600, self_waits = 2"
                     " WHERE function_id = 2;"
                     "UPDATE function_stats SET self_wait_ns = 200, self_waits = 1"
                     " WHERE function_id = 4;"
                     "INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns,"
                     " wait_ns, preempted_ns) VALUES (1, 1, 2, 2, 30000, 105000, 105000, 0)",
                     "run.db");
    check(strstr(text, "Waiting          600 ns  75.0%  parse (parse.cc:5), 2 waits\n"
                       "                 200 ns  25.0%  work (main.c:40), 1 wait\n"
                       "               55.00 us 100.0%  worker (main.c:50), 3 waits, begins a "
                       "thread\n") != NULL,
          "waits within requests lead, however long a thread waited for work");
    check(strstr(text, "hot-functions, waiting, lock-waits, ") != NULL, "and locks are named");
    free(text);
    text = digest_of("", "run.db");
    check(strstr(text, "Waiting      no thread waited\n") != NULL, "where none did, too");
    free(text);
}

/* What processor time is worth. */
static void doubt(void)
{
    char *text = digest_of("INSERT INTO run VALUES ('hook_cost_ns', 50000),"
                           " ('hook_cost_error_ns', 20000);"
                           "UPDATE threads SET preempted_ns = 30000",
                           "run.db");
    check(strstr(text, "100.00 us long, 170.00 us ± 20.00 us on processors, 60.00 us put aside; "
                       "2 threads") != NULL,
          "its error and time put aside are told");
    free(text);
    text = digest_of("INSERT INTO run VALUES ('hook_cost_ns', 5000),"
                     " ('hook_cost_error_ns', 1000); UPDATE threads SET preempted_ns = 800",
                     "run.db");
    check(strstr(text, "100.00 us long, 170.00 us on processors; 2 threads") != NULL,
          "but not less than a hundredth");
    free(text);
}

static void errors(void)
{
    char *text = digest_of(
        "INSERT INTO losses(reason, calls) VALUES ('disk full', 7), ('killed', 1);"
        "UPDATE processes SET how_ended = 'signal', signal = 11, status = NULL;"
        "UPDATE calls SET ended = 2 WHERE id IN (1, 9);"
        "INSERT INTO free_errors(error, address, kind, ns, thread_id, frame_id, site_id, alloc_id)"
        " VALUES ('double', 0x5000, 'free', 96000, 1, 4, 3, 1), ('double', 0x5000, 'free', 97000,"
        " 1, 4, 3, 1), ('inside', 0x5108, 'free', 98000, 1, 4, 3, 2)",
        "x.db");
    check(strncmp(text, "x.db: killed by SIGSEGV in work (main.c:40)\n", 44) == 0, "a crash leads");
    check(strstr(text, "Errors       1 crash, 2 double frees, 1 bad free; the recording is not "
                       "complete: disk full and 1 more\n") != NULL,
          "errors and losses are counted");
    check(strstr(text, "\n1. work (main.c:14) frees 0x5108, which is no block (inside)\n"
                       "   an error, called by main (main.c:14): fisql query bad-frees x.db\n"
                       "2. work (main.c:14) frees a block again that main has freed "
                       "(and 1 more)\n   an error, called by main (main.c:14): fisql query "
                       "double-frees x.db\n") != NULL,
          "and are findings, one a query");
    free(text);
}

/* Five at most, worst first, none twice, none that saves less than a hundredth. */
static void order(void)
{
    sqlite3 *database = open_run(
        "UPDATE function_stats SET self_ns = 1000000 WHERE function_id = 1;"
        "UPDATE function_stats SET calls = 100000, finished = 100000 WHERE function_id = 3;"
        "UPDATE function_stats SET calls = 4000, finished = 4000 WHERE function_id = 4;"
        "UPDATE edges SET calls = 100000 WHERE callee_id = 3;"
        "UPDATE edges SET calls = 4000 WHERE callee_id = 4;"
        "INSERT INTO intervals VALUES (3, 4, 100000);"
        "UPDATE alloc_stacks SET blocks = 9000 WHERE id = 1;"
        "INSERT INTO alloc_distances VALUES (1, 0, 9000, 900000)");
    struct query_set set = {0};
    struct verdicts found;
    check_equal(0, query_set_load(&set), "the queries load");
    check_equal(0, verdicts_read(database, &set, &found), "the findings are read");
    check_equal(2, found.findings, "a function stands once, what saves little not at all");
    if (found.findings == 2) {
        check_string("parse (parse.cc:9) allocates 9000 blocks that are freed at once: keep one",
                     found.items[0].text, "what saves most is first");
        check_equal(180000, (long)found.items[0].saves_cpu_ns, "what it saves is a guess");
        check_string("temporary-allocations", found.items[0].proof, "with its proof");
        check_string("main", found.items[0].caller, "and its caller");
        check_string(
            "ns::next<int> stays a call, made 100000 times, most from parse: with -flto, or in a "
            "header, they are gone",
            found.items[1].text, "the next");
        check_equal(150000, (long)found.items[1].saves_cpu_ns, "and its guess");
    }
    verdicts_release(&found);
    query_set_release(&set);
    sqlite3_close(database);
}

int main(void)
{
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    whole();
    waiting();
    doubt();
    errors();
    order();
    return check_status();
}
