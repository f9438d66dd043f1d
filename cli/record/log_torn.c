/*
 * A process that is killed within its write(2) leaves the start of a chunk in the log, and others may
 * have written behind it. The chunk was still in the live area: `fisql record` has salvaged it since,
 * into the same log or a later one (--rotate). So nothing is missing, and the log says so by a fact. We
 * say it only of a chunk that we have found whole.
 */
#include "cli/record/log_torn.h"

#include "cli/record/live_parts.h"
#include "cli/record/log_place.h"
#include "cli/record/log_totals.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define TORN_MAX 256 /* places of a recording */

struct torn {
    uint32_t log; /* 0 is the newest */
    uint64_t offset, bytes;
    struct fisql_chunk head;
    bool saved;
};

struct search {
    struct torn torn[TORN_MAX];
    uint32_t count;
    uint32_t log; /* that we walk through */
};

static void note_torn(const struct log_place_of_chunk *place, void *context)
{
    struct search *search = context;
    if (place->whole || place->head->kind != FISQL_CHUNK_EVENTS || search->count == TORN_MAX)
        return;
    search->torn[search->count++] = (struct torn){
        .log = search->log, .offset = place->offset, .bytes = place->bytes, .head = *place->head};
}

static void note_saved(const struct log_place_of_chunk *place, void *context)
{
    struct search *search = context;
    const struct fisql_chunk *head = place->head;
    if (!place->whole || head->kind != FISQL_CHUNK_EVENTS)
        return;
    for (uint32_t i = 0; i < search->count; i++) {
        struct torn *torn = &search->torn[i];
        bool same = torn->head.process_key == head->process_key &&
                    torn->head.thread == head->thread && torn->head.sequence == head->sequence &&
                    torn->head.calls <= head->calls;
        if (same && torn->log >= search->log && !torn->saved)
            torn->saved = log_checksum_right(place->log, place->offset, head);
    }
}

static int log_open(const char *path, uint32_t number, int flags)
{
    char name[PATH_MAX];
    return log_place_numbered(name, path, number)
               ? open(name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
               : -1;
}

static void walk(struct search *search, const struct live *live, const char *path, uint32_t number,
                 log_visit *visit)
{
    int log = log_open(path, number, O_RDONLY);
    search->log = number;
    if (log >= 0) {
        log_walk(log, live->area->run_id, live->area->lost_chunks != 0, visit, search);
        close(log);
    }
}

static void tell(struct live *live, const char *path, const struct torn *torn)
{
    char text[48];
    const struct live_fact facts[] = {{FISQL_FACT_RUN_TORN, text}, {0, NULL}};
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, torn->offset, torn->bytes);
    int log = log_open(path, torn->log, O_WRONLY | O_APPEND);
    if (log < 0)
        return;
    live_log_append_facts(live, log, facts);
    close(log);
}

void log_torn_tell(struct live *live, const char *path, uint32_t kept)
{
    static struct search search;
    uint32_t oldest = 0;
    search.count = 0;
    for (uint32_t number = 0; number <= kept; number++)
        walk(&search, live, path, number, note_torn);
    for (uint32_t i = 0; i < search.count; i++)
        oldest = search.torn[i].log > oldest ? search.torn[i].log : oldest;
    for (uint32_t number = 0; search.count > 0 && number <= oldest; number++)
        walk(&search, live, path, number, note_saved);
    for (uint32_t i = 0; i < search.count; i++)
        if (search.torn[i].saved)
            tell(live, path, &search.torn[i]);
}
