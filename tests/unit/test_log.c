/*
 * What the loader makes of a log's chunks before it decodes any: facts, the index with its order,
 * ids and losses, the clocks. Each log is built chunk by chunk.
 */
#include "loader/log/clock.h"
#include "loader/log/facts.h"
#include "loader/log/log_index.h"
#include "tests/unit/check.h"
#include "tests/unit/log_builder.h"

#include <stdlib.h>
#include <unistd.h>

static char path[512];
static struct log_builder built;
static struct log_index index_;
static struct error failure;

static struct log_builder *begin(void)
{
    built.bytes = 0;
    return &built;
}

/* Reads what was built; the index is to be released. */
static struct log_index *read_built(const char *what)
{
    log_write(&built, path);
    int status = log_index_read(&index_, path, NULL, NULL, NULL, &failure);
    check(status == 0, "%s: is read%s%s", what, status == 0 ? "" : ": ",
          status == 0 ? "" : failure.text);
    return &index_;
}

static void release(void)
{
    log_index_release(&index_);
}

/* Losses as text: reason, chunks, calls, bytes of each ('-' = not known). */
static void check_losses(const char *expected, const char *what)
{
    char actual[512] = "";
    for (size_t i = 0; i < index_.losses_count; i++) {
        const struct log_loss *loss = &index_.losses[i];
        const uint64_t numbers[] = {loss->chunks, loss->calls, loss->bytes};
        size_t used = strlen(actual);
        snprintf(actual + used, sizeof actual - used, "%s%s", i > 0 ? "; " : "", loss->reason);
        for (int k = 0; k < 3; k++) {
            used = strlen(actual);
            if (numbers[k] == UINT64_MAX)
                snprintf(actual + used, sizeof actual - used, " -");
            else
                snprintf(actual + used, sizeof actual - used, " %llu",
                         (unsigned long long)numbers[k]);
        }
    }
    check_string(expected, actual, what);
}

/* The chunks of all threads in their order: thread:sequence. */
static void check_order(const char *expected, const char *what)
{
    char actual[256] = "";
    for (size_t i = 0; i < index_.chunks_count; i++) {
        size_t used = strlen(actual);
        snprintf(actual + used, sizeof actual - used, "%s%u:%u", i > 0 ? " " : "",
                 index_.threads[index_.chunks[i].thread].id, index_.chunks[i].sequence);
    }
    check_string(expected, actual, what);
}

/* ---- facts ---- */

static void test_facts(void)
{
    static const char payload[] = "name\0worker\0empty\0\0cut\0no end";
    const char *key, *value;
    struct facts facts = facts_begin(payload, sizeof payload - 1);
    check(facts_next(&facts, &key, &value) && strcmp(value, "worker") == 0, "a fact is read");
    check_string("name", key, "with its key");
    check(facts_next(&facts, &key, &value) && value[0] == 0, "a value may be empty");
    check(!facts_next(&facts, &key, &value), "a text without its NUL is none");
    facts = facts_begin("\0key\0value", 11);
    check(!facts_next(&facts, &key, &value), "an empty key ends the facts");
    facts = facts_begin(payload, 0);
    check(!facts_next(&facts, &key, &value), "no bytes hold no fact");
}

static void test_numbers(void)
{
    uint64_t number = 5;
    check(fact_decimal("18446744073709551615", &number) && number == UINT64_MAX,
          "the largest number is one");
    number = 5;
    const char *const none[] = {"", "18446744073709551616", "-1", " 1", "+1", "1x", "0x10", "a"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        check(!fact_decimal(none[i], &number) && number == 5, "\"%s\" is no decimal number",
              none[i]);
    check(fact_hexadecimal("7fff0a", &number) && number == 0x7fff0a, "a hexadecimal number");
    check(!fact_hexadecimal("g", &number) && number == 0x7fff0a, "g is no digit of one");
}

/* ---- the index ---- */

static void test_sound(void)
{
    struct log_builder *log = begin();
    log_add_facts(log, FISQL_CHUNK_RUN, 0, "host\0here\0version\0old\0version\0new");
    log_add_facts(log, FISQL_CHUNK_PROCESS, 1,
                  "executable\0/bin/x\0start_tick\0"
                  "50");
    log_add(log, log_events(0, 0, 3), NULL, 0);
    log_add(log, log_events(1, 3, 2), NULL, 0);
    struct fisql_chunk other = log_events(0, 0, 4);
    other.thread = 1;
    log_add(log, other, NULL, 0);
    log_add_facts(log, FISQL_CHUNK_END, 1,
                  "how\0exit\0status\0"
                  "3\0tick\0"
                  "900");
    const struct log_index *index = read_built("a sound log");
    check_equal(6, index->chunks_sound, "all chunks are sound");
    check_equal(LOG_RUN, index->run_id, "the run is that of the chunks");
    check_order("1:0 1:1 2:0", "chunks stand by thread and sequence");
    check_losses("", "nothing is lost");
    check_equal(1, index->threads[0].first_call_id, "the first thread's calls begin at 1");
    check_equal(6, index->threads[1].first_call_id, "the second's follow");
    check_equal(4, index->threads[1].call_ids, "with as many as it entered");
    const struct log_process *process = &index->processes[0];
    check_string("/bin/x", process->executable, "the process has its executable");
    check_equal(50, process->start_tick, "and its start");
    check(process->has_status && process->status == 3, "and its status");
    check_equal(900, process->end_tick, "and its end");
    check_equal(2, index->facts.count, "a fact of the run stands once");
    check_string("new", index->facts.items[1].value, "the later one wins");
    release();
}

static void test_out_of_order(void)
{
    struct log_builder *log = begin();
    struct fisql_chunk second = log_events(0, 0, 1);
    second.process_key = 9;
    log_add(log, second, NULL, 0);
    log_add(log, log_events(2, 7, 1), NULL, 0);
    log_add(log, log_events(0, 0, 5), NULL, 0);
    log_add(log, log_events(1, 5, 2), NULL, 0);
    const struct log_index *index = read_built("chunks out of order");
    check_order("1:0 1:1 1:2 2:0", "the order is that of process, thread and sequence");
    check_losses("", "which is no loss");
    check_equal(9, index->processes[index->threads[index->chunks[3].thread].process].key,
                "processes go by their keys");
    release();
}

static void test_duplicate(void)
{
    struct log_builder *log = begin();
    log_add(log, log_events(0, 0, 5), NULL, 0);
    log_add(log, log_events(1, 5, 2), NULL, 0);
    log_add(log, log_events(1, 5, 2), NULL, 0);
    const struct log_index *index = read_built("a chunk twice");
    check_order("1:0 1:1", "it counts once");
    check_equal(7, index->threads[0].call_ids, "with its calls");
    check_losses("chunk stands twice - - 136", "and is told");
    release();

    log = begin();
    struct fisql_chunk copy = log_events(0, 0, 1);
    copy.flags = FISQL_FLAG_SALVAGED;
    log_add(log, copy, NULL, 0);
    log_add(log, log_events(0, 0, 5), NULL, 0);
    read_built("a chunk and a salvaged copy of its start");
    check_order("1:0", "one counts");
    check_equal(5, index_.chunks[0].calls, "and that is the whole one");
    check_losses("", "a copy is no loss");
    release();
}

static void test_foreign(void)
{
    struct log_builder *log = begin();
    log_add(log, log_events(0, 0, 5), NULL, 0);
    struct fisql_chunk other = log_events(1, 5, 2);
    other.run_id = LOG_RUN + 1;
    log_add(log, other, NULL, 0);
    struct fisql_chunk newer = log_events(1, 5, 2);
    newer.version = FISQL_LOG_VERSION + 1;
    log_add(log, newer, NULL, 0);
    const struct log_index *index = read_built("chunks of another run and version");
    check_order("1:0", "they do not count");
    check_equal(1, index->chunks_sound, "nor are they sound ones of this run");
    check_losses("chunk of another run 1 - 136; damaged - - 136", "and are told");
    release();
}

static void test_gaps(void)
{
    struct log_builder *log = begin();
    struct fisql_chunk late = log_events(2, 10, 1);
    struct fisql_chunk later = log_events(5, 30, 1);
    late.open_calls = late.open_depth = 2;
    log_add(log, late, NULL, 0);
    log_add(log, later, NULL, 0);
    const struct log_index *index = read_built("missing chunks");
    check_losses("missing chunk 2 10 -; missing chunk 2 19 -", "gaps have their chunks and calls");
    check(index->chunks[0].gap && index->chunks[0].loss == 1 && index->chunks[1].loss == 2,
          "the chunks behind know it");
    check_equal(4, index->threads[0].call_ids, "calls that a snapshot opens get ids");
    release();

    log = begin();
    late.flags = later.flags = FISQL_FLAG_RING;
    log_add(log, late, NULL, 0);
    log_add(log, later, NULL, 0);
    index = read_built("a flight recorder's chunks");
    check_losses("", "what it dropped on purpose is no loss");
    check_equal(29, index->ring_calls, "but is counted");
    release();

    log = begin();
    log_add(log, log_events(0, 0, 5), NULL, 0);
    struct fisql_chunk resumed = log_events(1, 9, 1);
    resumed.flags = FISQL_FLAG_RESUMED;
    log_add(log, resumed, NULL, 0);
    read_built("recording was off");
    check_losses("", "calls while recording was off are no loss");
    release();
}

static void test_unwritten(void)
{
    struct log_builder *log = begin();
    log_add(log, log_events(0, 0, 5), NULL, 0);
    struct fisql_chunk behind = log_events(2, 25, 1);
    behind.flags = FISQL_FLAG_LOST;
    log_add(log, behind, NULL, 0);
    log_add_facts(log, FISQL_CHUNK_LOSS, 0,
                  "reason\0disk full\0chunks\0"
                  "3\0calls\0"
                  "50\0detail\0why");
    log_add_facts(log, FISQL_CHUNK_LOSS, 0,
                  "reason\0disk full\0chunks\0"
                  "2\0calls\0"
                  "25");
    read_built("chunks that could not be written");
    check_losses("disk full 2 30 -; disk full 2 25 -; missing chunk 1 20 -",
                 "no call is lost twice");
    release();
}

static void test_truncated(void)
{
    struct log_builder *log = begin();
    log_add(log, log_events(0, 0, 5), NULL, 0);
    size_t cut = log_add(log, log_events(1, 5, 200), NULL, 0);
    log->bytes = cut + 300;
    read_built("a truncated log");
    check_order("1:0", "what is whole counts");
    check_losses("truncated 1 - 300", "the rest is told");
    check(index_.losses[0].cut, "as the part of a chunk of this run");
    release();

    log = begin();
    log_add(log, log_events(0, 0, 5), NULL, 0);
    cut = log_add(log, log_events(1, 5, 2), NULL, 0);
    log_add(log, log_events(2, 7, 1), NULL, 0);
    log->data[cut + 130] ^= 1;
    read_built("a damaged chunk");
    check_order("1:0 1:2", "the others count");
    check_losses("damaged - - 136; missing chunk 1 2 -", "bytes and calls are told");
    release();
}

static void test_refused(void)
{
    struct log_builder *log = begin();
    log->bytes = 4096;
    memset(log->data, 'x', log->bytes);
    log_write(log, path);
    check(log_index_read(&index_, path, NULL, NULL, NULL, &failure) < 0, "no log is refused");
    release();
    log = begin();
    struct fisql_chunk newer = log_events(0, 0, 1);
    newer.version = FISQL_LOG_VERSION + 1;
    log_add(log, newer, NULL, 0);
    log_write(log, path);
    check(log_index_read(&index_, path, NULL, NULL, NULL, &failure) < 0 &&
              strstr(failure.text, "version") != NULL,
          "a log of a newer version is refused, with the reason");
    release();
    release();
    check_equal(0, index_.chunks_count, "an index may be released twice");
}

static void test_too_many_losses(void)
{
    struct log_index index = {0};
    struct log_loss loss = log_loss_of("reason");
    int status = 0;
    for (uint32_t i = 0; i < LOSSES_MAX + 3 && status == 0; i++)
        status = log_index_add_loss(&index, &loss, &failure);
    check_equal(LOSSES_MAX, index.losses_count, "so many losses are listed");
    check_equal(3, index.losses_left_out, "the others are counted");
    log_index_release(&index);
}

static void test_modules(void)
{
    struct log_builder *log = begin();
    log_add_facts(log, FISQL_CHUNK_MODULES, 1,
                  "module\0/lib/a\0event\0load\0tick\0"
                  "10\0bias\0"
                  "1000\0start\0"
                  "1100\0end\0"
                  "1200\0"
                  "module\0/lib/empty\0start\0"
                  "20\0end\0"
                  "20\0"
                  "module\0\0event\0unload\0tick\0"
                  "90\0bias\0"
                  "1000\0start\0"
                  "1100\0"
                  "module\0/lib/b\0tick\0"
                  "95\0bias\0"
                  "1000\0start\0"
                  "1100\0end\0"
                  "1200\0build_id\0ab");
    log_add_facts(log, FISQL_CHUNK_MODULES, 1,
                  "module\0\0event\0unload\0tick\0"
                  "99\0bias\0"
                  "5000\0start\0"
                  "5100");
    log_add(log, log_events(0, 0, 1), NULL, 0);
    const struct log_index *index = read_built("modules");
    check_equal(2, index->modules_count, "a module without code is none");
    check_string("/lib/a", index->modules[0].path, "the first one's path");
    check_equal(90, index->modules[0].unload_tick, "its unload");
    check_equal(0x1100, index->modules[0].start, "its addresses");
    check_string("ab", index->modules[1].build_id, "the second one's build-id");
    check(index->modules[1].unload_tick == TICK_UNKNOWN, "it stays");
    release();
}

/* ---- clocks ---- */

/* An events chunk with a clock pair. */
static void add_pair(struct log_builder *log, uint64_t process, uint32_t sequence, uint64_t tick,
                     uint64_t ns)
{
    struct fisql_chunk chunk = log_events(sequence, sequence, 1);
    chunk.process_key = process;
    chunk.tick_start = tick;
    chunk.clock_tick = tick;
    chunk.clock_ns = ns;
    log_add(log, chunk, NULL, 0);
}

static uint64_t ns_of(size_t process, uint64_t tick)
{
    struct clock_map map;
    if (clock_map_make(&map, &index_, &failure) != 0)
        return UINT64_MAX;
    uint64_t ns = clock_ns(&map.lines[process], tick);
    clock_map_release(&map);
    clock_map_release(&map); /* twice is allowed */
    return ns;
}

static void test_clock(void)
{
    struct log_builder *log = begin();
    log_add_facts(log, FISQL_CHUNK_PROCESS, 1,
                  "clock\0tsc\0ticks_per_second\0"
                  "2000000000");
    add_pair(log, 1, 0, 1000, 500000);
    add_pair(log, 1, 1, 2000, 500520); /* too near for a rate of their own */
    read_built("two near pairs");
    check_equal(0, ns_of(0, 1000), "the run starts at the first tick");
    check_equal(500, ns_of(0, 2000), "the rate is the collector's");
    check_equal(0, ns_of(0, 900), "before the start it is the start");
    check_equal(0, ns_of(0, (uint64_t)1 << 63 | 2000), "long before, too");
    check_equal(CLOCK_NS_MAX, ns_of(0, INT64_MAX), "times end at a limit");
    release();

    log = begin();
    log_add_facts(log, FISQL_CHUNK_PROCESS, 1,
                  "clock\0tsc\0ticks_per_second\0"
                  "2000000000");
    add_pair(log, 1, 0, 0, 1000);
    add_pair(log, 1, 1, 4000000000u, 2000001000u + 20000000u);
    read_built("two far pairs");
    check_equal(1010000000, ns_of(0, 2000000000u), "the rate is that between the pairs");
    release();

    log = begin();
    log_add_facts(log, FISQL_CHUNK_PROCESS, 1,
                  "clock\0tsc\0ticks_per_second\0"
                  "2000000000");
    add_pair(log, 1, 0, 0, 1000);
    add_pair(log, 1, 1, 4000000000u, 9000001000u);
    read_built("two absurd pairs");
    check_equal(1000000000, ns_of(0, 2000000000u), "absurd pairs are not believed");
    release();
}

static void test_clock_kinds(void)
{
    struct log_builder *log = begin();
    log_add_facts(log, FISQL_CHUNK_PROCESS, 1, "clock\0monotonic");
    log_add_facts(log, FISQL_CHUNK_PROCESS, 2, "clock\0monotonic");
    add_pair(log, 1, 0, 7000, 7000);
    add_pair(log, 2, 0, 9000, 9000);
    read_built("monotonic clocks");
    check_equal(3000, ns_of(0, 10000), "their ticks are nanoseconds");
    check_equal(3000, ns_of(1, 10000), "and processes share a line");
    release();

    log = begin();
    log_add_facts(log, FISQL_CHUNK_PROCESS, 1, "clock\0none");
    add_pair(log, 1, 0, 50, 0);
    read_built("no time");
    check_equal(ns_of(0, 50), ns_of(0, 5000), "ticks give an order and no time");
    release();
}

/* Killed before the tick that its clock is counted from, as where a process of another start comes first. */
static void test_clock_killed(void)
{
    struct clock_line line = {.tick = 5000, .ns = 2000, .rate = (uint64_t)1 << (CLOCK_SHIFT - 1)};
    struct clock_map map = {.lines = &line, .count = 1, .start_ns = 100};
    struct log_process process = {.end_tick = TICK_UNKNOWN,
                                  .killed = {1600, TICK_UNKNOWN, TICK_UNKNOWN, TICK_UNKNOWN}};
    struct log_index index = {.processes = &process, .processes_count = 1};
    clock_map_end_killed(&map, &index);
    check_equal(5000 - 2 * 500, process.end_tick, "killed 500 ns before the anchor: its tick");
    process.end_tick = TICK_UNKNOWN;
    process.killed.ns = 2600;
    clock_map_end_killed(&map, &index);
    check_equal(5000 + 2 * 500, process.end_tick, "killed 500 ns behind it");
}

/* The short way of clock_ns, where a tick may go it, gives what the long one does. */
static void test_clock_ways(void)
{
    static const uint64_t rates[] = {0, 1, (uint64_t)1 << 39, ((uint64_t)1 << 40) + 7, UINT64_MAX};
    static const int64_t anchors[] = {INT64_MIN, -1000, 0, 12345, CLOCK_NS_MAX, INT64_MAX};
    static const uint64_t distances[] = {0, 1, 999, 1001, INT64_MAX, UINT64_MAX, (uint64_t)1 << 63};
    long others = 0;
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
        for (size_t a = 0; a < sizeof anchors / sizeof *anchors; a++)
            for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
                for (uint64_t shift = 0; shift < 64; shift++) {
                    struct clock_line line = {1000, anchors[a], rates[r] >> shift};
                    uint64_t tick = line.tick + (distances[d] >> shift);
                    others += clock_ns(&line, tick) != clock_ns_far(&line, tick);
                }
    check_equal(0, others, "both ways of clock_ns are one");
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    snprintf(path, sizeof path, "%s/test_log.bin", folder != NULL ? folder : "/tmp");
    test_facts();
    test_numbers();
    test_sound();
    test_out_of_order();
    test_duplicate();
    test_foreign();
    test_gaps();
    test_unwritten();
    test_truncated();
    test_refused();
    test_too_many_losses();
    test_modules();
    test_clock();
    test_clock_kinds();
    test_clock_killed();
    test_clock_ways();
    unlink(path);
    return check_status();
}
