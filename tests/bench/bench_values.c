/*
 * Writes a log as `fisql record --values` would have it: calls of fib(n) with their argument and, with
 * `results`, their result; and now and then of a function that gets a pointer, a text and a double.
 *
 *   bench_values CALLS none|arguments|results >run.bin
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/live.h"

#define BYTES (128 * 1024)
#define FIB 0x1b000u
#define OPEN 0x1c000u

static struct log {
    _Alignas(8) unsigned char bytes[BYTES];
    uint32_t units, calls, sequence;
    uint64_t before, tick;
    uint64_t calls_max, calls_made;
    bool arguments, results;
    struct fisql_open_call open[256];
    uint32_t depth;
} log_state;

static struct fisql_chunk *head(void)
{
    return (struct fisql_chunk *)(void *)log_state.bytes;
}

static void put_chunk(uint16_t kind, const void *payload, size_t bytes)
{
    struct fisql_chunk *chunk = calloc(1, sizeof *chunk + bytes + 8);
    if (chunk == NULL)
        exit(2);
    *chunk = (struct fisql_chunk){.magic = FISQL_CHUNK_MAGIC,
                                  .version = FISQL_LOG_VERSION,
                                  .kind = kind,
                                  .length = (uint32_t)((sizeof *chunk + bytes + 7) / 8 * 8),
                                  .run_id = 7,
                                  .process_key = 1,
                                  .pid = 100,
                                  .tid = 100};
    memcpy(chunk + 1, payload, bytes);
    fisql_chunk_sign(chunk);
    fwrite(chunk, 1, chunk->length, stdout);
    free(chunk);
}

static void begin_chunk(void)
{
    struct log *log = &log_state;
    memset(log->bytes, 0, sizeof log->bytes);
    *head() = (struct fisql_chunk){.magic = FISQL_CHUNK_MAGIC,
                                   .version = FISQL_LOG_VERSION,
                                   .kind = FISQL_CHUNK_EVENTS,
                                   .run_id = 7,
                                   .process_key = 1,
                                   .pid = 100,
                                   .tid = 100,
                                   .sequence = log->sequence++,
                                   .tick_start = log->tick,
                                   .first_call = log->before,
                                   .base_address = 0x10000,
                                   .open_calls = log->depth,
                                   .open_depth = log->depth};
    memcpy(head() + 1, log->open, log->depth * sizeof log->open[0]);
    log->units = 0;
    log->calls = 0;
}

static void end_chunk(void)
{
    struct log *log = &log_state;
    struct fisql_chunk *chunk = head();
    size_t before = sizeof *chunk + chunk->open_calls * sizeof log->open[0];
    chunk->units = log->units;
    chunk->calls = log->calls;
    chunk->length = (uint32_t)((before + 2 * (size_t)log->units + 7) / 8 * 8);
    chunk->clock_tick = log->tick;
    chunk->clock_ns = log->tick + 1000000;
    fisql_chunk_sign(chunk);
    fwrite(chunk, 1, chunk->length, stdout);
    log->before += log->calls;
}

static void put(uint32_t unit)
{
    struct log *log = &log_state;
    size_t at = sizeof(struct fisql_chunk) + head()->open_calls * sizeof log->open[0];
    memcpy(log->bytes + at + 2 * (size_t)log->units++, &(uint16_t){(uint16_t)unit}, 2);
}

static void put_define(uint32_t slot, uint32_t function)
{
    put((FISQL_CODE_DEFINE_NEAR + slot) << 1 | 1);
    put(function - 0x10000);
    put(0);
    put(0x9010);
    put(0);
}

/* Room for an event and what goes with it. */
static void reserve(void)
{
    struct log *log = &log_state;
    if (log->units != 0 && sizeof(struct fisql_chunk) + 256 * 24 + 2 * log->units + 512 < BYTES)
        return;
    if (log->units != 0)
        end_chunk();
    begin_chunk();
    put_define(1, FIB);
    put_define(2, OPEN);
}

static void put_values(uint32_t code, uint32_t code_short, const unsigned char *values,
                       uint32_t bytes)
{
    if (bytes == 1) {
        put((code_short + values[0]) << 1 | 1);
        return;
    }
    put((code + bytes) << 1 | 1);
    for (uint32_t i = 0; i < bytes; i += 2)
        put(values[i] | (i + 1 < bytes ? (uint32_t)values[i + 1] << 8 : 0));
}

static uint32_t integer(unsigned char *to, uint64_t value)
{
    if (value <= 127) {
        to[0] = (unsigned char)(value + FISQL_VALUE_INTEGER_BASE);
        return 1;
    }
    uint32_t bytes = value < 1u << 15 ? 2 : value < 1u << 31 ? 4 : 8;
    to[0] = (unsigned char)(bytes == 2   ? FISQL_VALUE_INTEGER_2
                            : bytes == 4 ? FISQL_VALUE_INTEGER_4
                                         : FISQL_VALUE_INTEGER_8);
    memcpy(to + 1, &value, bytes);
    return 1 + bytes;
}

static void enter(uint32_t slot)
{
    struct log *log = &log_state;
    reserve();
    put(slot << 1 | 1);
    put(10);
    log->tick += 10;
    log->calls++;
    log->calls_made++;
    log->open[log->depth++] = (struct fisql_open_call){slot == 1 ? FIB : OPEN, 0x19010, log->tick};
}

static void leave(void)
{
    reserve();
    put(10 << 1);
    log_state.tick += 10;
    log_state.depth--;
}

static void open_file(uint64_t number)
{
    unsigned char values[64] = {FISQL_VALUE_POINTER_6};
    char name[16];
    double share = (double)number / 7;
    enter(2);
    uint64_t address = 0x7f0000000000 + number % 5000 * 64;
    memcpy(values + 1, &address, 6);
    uint32_t length = (uint32_t)snprintf(name, sizeof name, "file-%u", (unsigned)(number % 300));
    values[7] = (unsigned char)(FISQL_VALUE_TEXT_SHORT + length);
    memcpy(values + 8, name, length);
    values[8 + length] = FISQL_VALUE_FLOAT_8;
    memcpy(values + 9 + length, &share, 8);
    if (log_state.arguments)
        put_values(FISQL_CODE_ARGUMENTS, FISQL_CODE_ARGUMENTS_SHORT, values, 17 + length);
    leave();
    if (log_state.results)
        put_values(FISQL_CODE_RESULT, FISQL_CODE_RESULT_SHORT,
                   &(unsigned char){number % 9 == 0 ? 31 : 33}, 1);
}

static uint64_t fib(uint32_t n)
{
    struct log *log = &log_state;
    unsigned char value[16];
    enter(1);
    if (log->arguments)
        put_values(FISQL_CODE_ARGUMENTS, FISQL_CODE_ARGUMENTS_SHORT, value, integer(value, n));
    if (log->calls_made % 64 == 0)
        open_file(log->calls_made / 64);
    uint64_t sum = n < 2 || log->calls_made >= log->calls_max ? n : fib(n - 1) + fib(n - 2);
    leave();
    if (log->results)
        put_values(FISQL_CODE_RESULT, FISQL_CODE_RESULT_SHORT, value, integer(value, sum));
    return sum;
}

int main(int argc, char **argv)
{
    static const char run[] = "command\0fib\0version\0"
                              "0\0";
    static const char process[] = "executable\0/nonexistent/fib\0origin\0start\0start_tick\0"
                                  "1\0clock\0tsc\0"
                                  "ticks_per_second\0"
                                  "1000000000\0hook_inside_ps\0"
                                  "0\0hook_outside_ps\0"
                                  "0\0";
    static const char modules[] = "module\0/nonexistent/fib\0event\0load\0bias\0"
                                  "0\0start\0"
                                  "10000\0end\0"
                                  "20000\0";
    if (argc != 3) {
        fprintf(stderr, "usage: bench_values CALLS none|arguments|results >run.bin\n");
        return 2;
    }
    log_state.calls_max = strtoull(argv[1], NULL, 10);
    log_state.results = strcmp(argv[2], "results") == 0;
    log_state.arguments = log_state.results || strcmp(argv[2], "arguments") == 0;
    log_state.tick = 1000;
    put_chunk(FISQL_CHUNK_RUN, run, sizeof run);
    put_chunk(FISQL_CHUNK_PROCESS, process, sizeof process);
    put_chunk(FISQL_CHUNK_MODULES, modules, sizeof modules);
    while (log_state.calls_made < log_state.calls_max)
        fib(27);
    end_chunk();
    return fflush(stdout) == 0 ? 0 : 2;
}
