/*
 * Copying facts from log to log: see log_facts.h.
 *
 * A process is over if no slot of the live area is its own, and it has written its end, or we
 * salvaged what it left and its pid is gone. A fork's child has the modules of its parent, so the
 * facts of the parent stay as long as those of the child. Losses stay in the log that lacks
 * something.
 */
#include "cli/record/log_facts.h"

#include "base/array.h"
#include "cli/record/live_parts.h"
#include "cli/record/log_totals.h"
#include "formats/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct log_facts_process {
    uint64_t forked_from; /* process_key; 0 = it was not, or that is not known */
    pid_t pid;
    bool ended, salvaged, has_slot, wanted;
};

enum { THREAD_ENDED = 1, THREAD_HAS_SLOT = 2 };

/* ---- walking a log ---- */

/* Calls `take` with each header up to `end`; it returns 0 to go on. Behind a write that failed in
 * the middle we look for the next header. Returns what `take` returned last. */
static int walk(int log, uint64_t run_id, uint64_t *offset, uint64_t end,
                int (*take)(void *context, const struct fisql_chunk *head, uint64_t offset),
                void *context)
{
    struct fisql_chunk head;
    while (*offset < end) {
        if (!log_header_at(log, *offset, run_id, &head)) {
            uint64_t next = log_header_find(log, *offset, end, run_id);
            if (next >= end)
                return 0;
            *offset = next;
            continue;
        }
        if (head.length > end - *offset)
            return 0; /* it is being written */
        int result = take(context, &head, *offset);
        if (result != 0)
            return result;
        *offset += head.length;
    }
    return 0;
}

/* Reads a chunk of facts; the caller frees it. NULL: it is not sound, or no memory. */
static struct fisql_chunk *chunk_read(int log, const struct fisql_chunk *head, uint64_t offset)
{
    struct fisql_chunk *chunk = malloc((size_t)head->length + 1);
    bool sound =
        chunk != NULL && pread(log, chunk, head->length, (off_t)offset) == (ssize_t)head->length;
    if (sound) {
        uint64_t checksum = chunk->checksum;
        chunk->checksum = 0;
        sound = fisql_checksum(chunk, head->length) == checksum;
        chunk->checksum = checksum;
        ((char *)chunk)[head->length] = 0; /* no text goes on behind it */
    }
    if (!sound) {
        free(chunk);
        return NULL;
    }
    return chunk;
}

/* The value of a fact of the chunk; NULL = it has none. */
static const char *fact_value(const struct fisql_chunk *chunk, enum fisql_fact fact)
{
    const char *at = (const char *)(chunk + 1), *end = (const char *)chunk + chunk->length;
    while (at < end && *at != 0) {
        const char *value = at + strlen(at) + 1;
        if (value >= end)
            return NULL;
        if (strcmp(at, fisql_fact_key(fact)) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

/* ---- what has ended ---- */

struct learning {
    struct log_facts *facts;
    int log;
    struct error *error;
};

static struct log_facts_process *process_of(struct log_facts *facts, uint64_t key,
                                            struct error *error)
{
    uint32_t index;
    if (intern_add(&facts->processes, 0, key, &index, error) != 0 ||
        array_reach(&facts->of_process, &facts->of_process_room, index, error) != 0)
        return NULL;
    return &facts->of_process[index];
}

static uint8_t *thread_of(struct log_facts *facts, uint64_t key, uint32_t thread,
                          struct error *error)
{
    uint32_t index;
    if (intern_add(&facts->threads, key, thread, &index, error) != 0 ||
        array_reach(&facts->of_thread, &facts->of_thread_room, index, error) != 0)
        return NULL;
    return &facts->of_thread[index];
}

static void learn_process(struct log_facts_process *process, const struct fisql_chunk *chunk)
{
    const char *origin = fact_value(chunk, FISQL_FACT_PROCESS_ORIGIN);
    const char *parent = fact_value(chunk, FISQL_FACT_PROCESS_PARENT_PROCESS);
    if (origin != NULL && parent != NULL && strcmp(origin, FISQL_ORIGIN_FORK) == 0)
        process->forked_from = strtoull(parent, NULL, 16);
}

static int learn_facts(struct learning *learning, struct log_facts_process *process,
                       const struct fisql_chunk *head, uint64_t offset)
{
    struct fisql_chunk *chunk = chunk_read(learning->log, head, offset);
    if (chunk == NULL)
        return 0;
    bool ended =
        head->kind == FISQL_CHUNK_THREAD && fact_value(chunk, FISQL_FACT_THREAD_END_TICK) != NULL;
    if (head->kind == FISQL_CHUNK_PROCESS)
        learn_process(process, chunk);
    free(chunk);
    if (!ended)
        return 0;
    uint8_t *thread = thread_of(learning->facts, head->process_key, head->thread, learning->error);
    if (thread == NULL)
        return -1;
    *thread |= THREAD_ENDED;
    return 0;
}

static int learn(void *context, const struct fisql_chunk *head, uint64_t offset)
{
    struct learning *learning = context;
    bool salvaged = head->kind == FISQL_CHUNK_EVENTS && (head->flags & FISQL_FLAG_SALVAGED) != 0;
    if (!salvaged && head->kind != FISQL_CHUNK_PROCESS && head->kind != FISQL_CHUNK_THREAD &&
        head->kind != FISQL_CHUNK_END)
        return 0;
    struct log_facts_process *process =
        process_of(learning->facts, head->process_key, learning->error);
    if (process == NULL)
        return -1;
    process->pid = (pid_t)head->pid;
    process->salvaged |= salvaged;
    process->ended |= head->kind == FISQL_CHUNK_END;
    bool facts = head->kind == FISQL_CHUNK_PROCESS || head->kind == FISQL_CHUNK_THREAD;
    return facts ? learn_facts(learning, process, head, offset) : 0;
}

static void learn_slot(void *context, uint64_t process_key, uint32_t thread)
{
    struct log_facts *facts = ((struct learning *)context)->facts;
    uint32_t index = intern_find(&facts->processes, 0, process_key);
    if (index != INTERN_NONE)
        facts->of_process[index].has_slot = true;
    index = intern_find(&facts->threads, process_key, thread);
    if (index != INTERN_NONE)
        facts->of_thread[index] |= THREAD_HAS_SLOT;
}

static bool is_over(const struct log_facts_process *process)
{
    bool gone = process->salvaged && kill(process->pid, 0) != 0 && errno == ESRCH;
    return !process->has_slot && (process->ended || gone);
}

/* Wants the process and those that it was forked from. */
static void want(struct log_facts *facts, uint32_t index)
{
    while (index != INTERN_NONE && !facts->of_process[index].wanted) {
        struct log_facts_process *process = &facts->of_process[index];
        process->wanted = true;
        index = process->forked_from != 0 ? intern_find(&facts->processes, 0, process->forked_from)
                                          : INTERN_NONE;
    }
}

int log_facts_learn(struct log_facts *facts, const struct live *live, int log, uint64_t end,
                    struct error *error)
{
    struct learning learning = {facts, log, error};
    uint64_t offset = 0;
    if (walk(log, facts->run_id, &offset, end, learn, &learning) != 0)
        return -1;
    live_keys_look(live, learn_slot, &learning);
    for (uint32_t i = 0; i < facts->processes.count; i++)
        if (!is_over(&facts->of_process[i]))
            want(facts, i);
    return 0;
}

/* ---- copying ---- */

/* Of processes and threads that it has not heard of, the next log wants everything. */
static bool is_wanted(const struct log_facts *facts, const struct fisql_chunk *head)
{
    if (head->kind == FISQL_CHUNK_EVENTS || head->kind == FISQL_CHUNK_LOSS)
        return false;
    uint32_t process = intern_find(&facts->processes, 0, head->process_key);
    if (process != INTERN_NONE && !facts->of_process[process].wanted)
        return false;
    uint32_t thread = head->kind == FISQL_CHUNK_THREAD
                          ? intern_find(&facts->threads, head->process_key, head->thread)
                          : INTERN_NONE;
    return thread == INTERN_NONE || facts->of_thread[thread] != THREAD_ENDED;
}

struct copying {
    const struct log_facts *facts;
    int from, to;
};

static int copy(void *context, const struct fisql_chunk *head, uint64_t offset)
{
    const struct copying *copying = context;
    struct fisql_chunk *chunk =
        is_wanted(copying->facts, head) ? chunk_read(copying->from, head, offset) : NULL;
    if (chunk == NULL)
        return 0;
    const char *first = (const char *)(chunk + 1);
    bool copied = chunk->length > sizeof *chunk && first[0] != 0 &&
                  strcmp(first, fisql_fact_key(FISQL_FACT_RUN_EARLIER_LOGS)) != 0;
    errno = ENOSPC; /* a short write sets none */
    bool written = !copied || write(copying->to, chunk, chunk->length) == (ssize_t)chunk->length;
    free(chunk);
    return written ? 0 : errno;
}

int log_facts_copy(const struct log_facts *facts, int log, uint64_t *offset, uint64_t end, int to)
{
    struct copying copying = {facts, log, to};
    return walk(log, facts->run_id, offset, end, copy, &copying);
}

void log_facts_release(struct log_facts *facts)
{
    intern_release(&facts->processes);
    intern_release(&facts->threads);
    free(facts->of_process);
    free(facts->of_thread);
    *facts = (struct log_facts){0};
}
