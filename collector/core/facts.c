/* Chunks of facts: pairs of strings behind a chunk header (formats/log.h). */
#include "collector/core/facts.h"

#include "collector/core/digits.h"
#include "collector/core/log_file.h"
#include "collector/process/process.h"

#include <string.h>

void facts_begin(struct facts *facts, void *buffer, size_t size_bytes, enum fisql_chunk_kind kind,
                 uint32_t thread, uint32_t tid)
{
    struct fisql_chunk *chunk = buffer;
    facts->buffer = buffer;
    facts->size_bytes = size_bytes & ~(size_t)7;
    facts->used_bytes = sizeof *chunk;
    memset(chunk, 0, sizeof *chunk);
    chunk->magic = FISQL_CHUNK_MAGIC;
    chunk->version = FISQL_LOG_VERSION;
    chunk->kind = (uint16_t)kind;
    chunk->run_id = process.run_id;
    chunk->process_key = process.key;
    chunk->pid = process.pid;
    chunk->tid = tid;
    chunk->thread = thread;
}

static void put_string(struct facts *facts, const char *text, size_t length)
{
    memcpy(facts->buffer + facts->used_bytes, text, length);
    facts->used_bytes += length;
    facts->buffer[facts->used_bytes++] = 0;
}

/* Cuts the value of a pair that does not fit. */
void facts_text(struct facts *facts, enum fisql_fact fact, const char *value)
{
    const char *key = fisql_fact_key(fact);
    size_t key_length = strlen(key), value_length = strlen(value);
    size_t room = facts->size_bytes - facts->used_bytes;
    if (room < key_length + 2)
        return;
    if (value_length > room - key_length - 2)
        value_length = room - key_length - 2;
    put_string(facts, key, key_length);
    put_string(facts, value, value_length);
}

static void put_number(struct facts *facts, enum fisql_fact fact, uint64_t value, unsigned base)
{
    char digits[DIGITS_BYTES];
    facts_text(facts, fact, digits_put(digits, value, base, 1));
}

void facts_number(struct facts *facts, enum fisql_fact fact, uint64_t value)
{
    put_number(facts, fact, value, 10);
}

void facts_hex(struct facts *facts, enum fisql_fact fact, uint64_t value)
{
    put_number(facts, fact, value, 16);
}

int facts_write(struct facts *facts)
{
    struct fisql_chunk *chunk = (struct fisql_chunk *)(void *)facts->buffer;
    size_t length = (facts->used_bytes + 7) & ~(size_t)7;
    uint64_t tick, ns;
    memset(facts->buffer + facts->used_bytes, 0, length - facts->used_bytes);
    clock_pair(process.clock, &tick, &ns);
    fisql_chunk_seal(chunk, (uint32_t)length, tick, ns);
    return log_file_write(chunk, length, 0);
}
