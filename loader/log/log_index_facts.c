/*
 * Takes the chunks of facts into the log index. Facts are not trusted: what is no number, and
 * unknown keys, are skipped.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/log/facts.h"
#include "loader/log/log_index_parts.h"
#include "formats/live.h"

#define RUN_FACTS_MAX 1000

/* Puts a copy of the text in place of *out. */
static int replace_text(char **out, const char *text, struct error *error)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return error_set(error, "out of memory");
    free(*out);
    *out = copy;
    return 0;
}

static int set_run_fact(struct log_index *index, const char *key, const char *value, bool replace,
                        struct error *error)
{
    for (size_t i = 0; i < index->facts.count; i++) {
        if (strcmp(index->facts.items[i].key, key) == 0)
            return replace ? replace_text(&index->facts.items[i].value, value, error) : 0;
    }
    if (index->facts.count >= RUN_FACTS_MAX)
        return 0;
    if (array_reserve(&index->facts.items, &index->facts.capacity, index->facts.count + 1, error) !=
        0)
        return -1;
    struct log_fact fact = {NULL, NULL};
    if (replace_text(&fact.key, key, error) != 0 || replace_text(&fact.value, value, error) != 0) {
        free(fact.key);
        return -1;
    }
    index->facts.items[index->facts.count++] =
        fact; /* whole: who reports the error looks at them */
    return 0;
}

/* The value of FISQL_FACT_RUN_CONTROL; skips it if it makes no sense. */
static int take_change(struct log_index *index, const char *value, struct error *error)
{
    char *end;
    struct log_change change = {.what = 0};
    change.ns = strtoull(value, &end, 10);
    if (end == value || *end != ' ' || index->facts.changes.count >= LOG_CHANGES_MAX)
        return 0;
    change.process_key = strtoull(end + 1, &end, 16);
    if (*end++ != ' ')
        return 0;
    size_t length = strcspn(end, " ");
    while (change.what < FISQL_CHANGES_WHATS &&
           (strlen(fisql_change_word(change.what)) != length ||
            memcmp(fisql_change_word(change.what), end, length) != 0))
        change.what++;
    if (change.what == FISQL_CHANGES_WHATS)
        return 0;
    if (end[length] == ' ' && end[length + 1] != 0 &&
        (change.detail = strndup(end + length + 1, FISQL_CHANGE_DETAIL)) == NULL)
        return error_set(error, "out of memory");
    if (array_reserve(&index->facts.changes.items, &index->facts.changes.capacity,
                      index->facts.changes.count + 1, error) != 0) {
        free(change.detail);
        return -1;
    }
    index->facts.changes.items[index->facts.changes.count++] = change;
    return 0;
}

static int take_run_fact(struct log_index *index, const char *key, const char *value,
                         struct error *error)
{
    if (fact_find(FISQL_CHUNK_RUN, key) == FISQL_FACT_RUN_CONTROL)
        return take_change(index, value, error);
    if (fact_find(FISQL_CHUNK_RUN, key) == FISQL_FACT_RUN_TORN) {
        log_index_take_torn(index, value);
        return 0;
    }
    if (fact_find(FISQL_CHUNK_RUN, key) == FISQL_FACT_RUN_EARLIER_LOGS) {
        index->facts.earlier.any = true;
        index->facts.earlier.processes = index->processes_count; /* their facts were copied */
    }
    return set_run_fact(index, key, value, true, error);
}

/* Each process has facts on its clock and hooks; the run takes those of its first process, unless a
 * RUN chunk has them. */
static int take_process_fact(struct log_index *index, struct log_process *process, const char *key,
                             const char *value, struct error *error)
{
    uint64_t setup_ns, pid;
    switch (fact_find(FISQL_CHUNK_PROCESS, key)) {
    case FISQL_FACT_PROCESS_EXECUTABLE:
        return replace_text(&process->executable, value, error);
    case FISQL_FACT_PROCESS_COMMAND:
        return replace_text(&process->command, value, error);
    case FISQL_FACT_PROCESS_ORIGIN:
        return replace_text(&process->origin, value, error);
    case FISQL_FACT_PROCESS_PARENT_PID:
        if (fact_decimal(value, &pid) && pid <= INT32_MAX)
            process->parent.pid = (uint32_t)pid;
        return 0;
    case FISQL_FACT_PROCESS_PARENT_PROCESS:
        fact_hexadecimal(value, &process->parent.key);
        return 0;
    case FISQL_FACT_PROCESS_START_TICK:
        fact_decimal(value, &process->start_tick);
        return 0;
    case FISQL_FACT_PROCESS_FORK_TICK:
        fact_decimal(value, &process->fork_tick);
        return 0;
    case FISQL_FACT_PROCESS_CLOCK:
        process->monotonic = strcmp(value, FISQL_CLOCK_MONOTONIC) == 0;
        process->timeless = strcmp(value, FISQL_CLOCK_NONE) == 0;
        break;
    case FISQL_FACT_PROCESS_TICKS_PER_SECOND:
        fact_decimal(value, &process->ticks_per_second);
        break;
    case FISQL_FACT_PROCESS_GAP_TICKS:
        fact_decimal(value, &process->gap_ticks);
        break;
    case FISQL_FACT_PROCESS_SETUP_NS:
        if (fact_decimal(value, &setup_ns) && setup_ns <= UINT32_MAX)
            index->facts.setup_ns += setup_ns;
        return 0;
    case FISQL_FACT_PROCESS_HOOK_INSIDE_PS:
    case FISQL_FACT_PROCESS_HOOK_OUTSIDE_PS:
    case FISQL_FACT_PROCESS_HOOK_UNTIMED_PS:
    case FISQL_FACT_PROCESS_ALLOC_OWN_MALLOC:
        break;
    default:
        return 0;
    }
    return set_run_fact(index, key, value, false, error);
}

static int take_end_fact(struct log_process *process, const char *key, const char *value,
                         struct error *error)
{
    enum fisql_fact fact = fact_find(FISQL_CHUNK_END, key);
    uint64_t number;
    if (fact == FISQL_FACT_END_HOW)
        return replace_text(&process->how, value, error);
    if (!fact_decimal(value, &number) || number > INT64_MAX)
        return 0;
    if (fact == FISQL_FACT_END_STATUS) {
        process->has_status = true;
        process->status = (int64_t)number;
    } else if (fact == FISQL_FACT_END_SIGNAL) {
        process->has_signal = number != 0;
        process->signal = (int64_t)number;
    } else if (fact == FISQL_FACT_END_TICK) {
        process->end_tick = number;
    } else if (fact == FISQL_FACT_END_NS) {
        process->killed.ns = number;
    } else if (fact == FISQL_FACT_END_CPU_NS) {
        process->killed.cpu_ns = number;
    } else if (fact == FISQL_FACT_END_WAITS) {
        process->killed.waits = number;
    } else if (fact == FISQL_FACT_END_PREEMPTIONS) {
        process->killed.preemptions = number;
    } else if (fact == FISQL_FACT_END_QUEUED_NS) {
        process->killed.queued_ns = number;
    }
    return 0;
}

/* The numbers of a reading; those after cpu_ns are modulo 2^32. */
struct told_reading {
    uint64_t tick, cpu_ns, waits, preemptions, minor_faults, major_faults;
};

static struct log_reading reading_of(const struct told_reading *told)
{
    bool counted = told->waits <= UINT32_MAX && told->preemptions <= UINT32_MAX &&
                   told->minor_faults <= UINT32_MAX && told->major_faults <= UINT32_MAX;
    struct log_reading reading = {.tick = told->cpu_ns != UINT64_MAX ? told->tick : TICK_UNKNOWN,
                                  .cpu_ns = told->cpu_ns,
                                  .counted = counted};
    if (counted) {
        reading.waits = (uint32_t)told->waits;
        reading.preemptions = (uint32_t)told->preemptions;
        reading.minor_faults = (uint32_t)told->minor_faults;
        reading.major_faults = (uint32_t)told->major_faults;
    }
    return reading;
}

/* Takes the number of a thread's fact where it is one. Returns whether it is. */
static bool take_thread_number(struct log_thread *thread, struct told_reading *told,
                               enum fisql_fact fact, const char *value)
{
    uint64_t *number;
    switch (fact) {
    case FISQL_FACT_THREAD_START_TICK:
        number = &thread->start_tick;
        break;
    case FISQL_FACT_THREAD_END_TICK:
        number = &thread->end_tick;
        break;
    case FISQL_FACT_THREAD_CPU_TICK:
        number = &told->tick;
        break;
    case FISQL_FACT_THREAD_CPU_NS:
        number = &told->cpu_ns;
        break;
    case FISQL_FACT_THREAD_WAITS:
        number = &told->waits;
        break;
    case FISQL_FACT_THREAD_PREEMPTIONS:
        number = &told->preemptions;
        break;
    case FISQL_FACT_THREAD_MINOR_FAULTS:
        number = &told->minor_faults;
        break;
    case FISQL_FACT_THREAD_MAJOR_FAULTS:
        number = &told->major_faults;
        break;
    default:
        return false;
    }
    fact_decimal(value, number);
    return true;
}

/* The log has a thread's facts at its start, and again at its end. */
static int take_thread(struct log_thread *thread, struct facts *facts, struct error *error)
{
    const char *key;
    const char *value;
    struct told_reading told;
    memset(&told, 0xff, sizeof told); /* nothing is known */
    bool ends = false;
    while (facts_next(facts, &key, &value)) {
        enum fisql_fact fact = fact_find(FISQL_CHUNK_THREAD, key);
        ends |= fact == FISQL_FACT_THREAD_END_TICK || fact == FISQL_FACT_THREAD_HOW;
        thread->exited |= fact == FISQL_FACT_THREAD_HOW && strcmp(value, FISQL_HOW_EXIT) == 0;
        bool given = fact == FISQL_FACT_THREAD_GIVEN_NAME;
        if (!take_thread_number(thread, &told, fact, value) &&
            (given || (fact == FISQL_FACT_THREAD_NAME && !thread->name_given)) &&
            replace_text(&thread->name, value, error) != 0)
            return -1;
        thread->name_given |= given;
    }
    if (ends)
        thread->at_end = reading_of(&told);
    else if (thread->at_start.tick == TICK_UNKNOWN)
        thread->at_start = reading_of(&told);
    thread->ended |= ends;
    return 0;
}

/* A module's facts; the texts are borrowed from the chunk. */
struct told_module {
    const char *path, *build_id;
    const char *unpatched;
    uint64_t bias, start, end, tick, patched;
    bool unload, patch, link, left;
};

/* Is this load known? The log may have its facts twice (record --rotate). */
static bool is_known_load(const struct log_index *index, const struct told_module *told,
                          uint32_t process)
{
    for (size_t i = index->facts.earlier.any ? index->modules_count : 0; i-- > 0;) {
        const struct log_module *module = &index->modules[i];
        if (module->process == process && module->bias == told->bias &&
            module->start == told->start && module->load_tick == told->tick &&
            strcmp(module->path, told->path) == 0)
            return true;
    }
    return false;
}

/* The module that is loaded there; NULL = none. */
static struct log_module *loaded_module(struct log_index *index, const struct told_module *told,
                                        uint32_t process)
{
    for (size_t i = index->modules_count; i-- > 0;) {
        struct log_module *module = &index->modules[i];
        if (module->process == process && module->unload_tick == TICK_UNKNOWN &&
            module->bias == told->bias && module->start == told->start)
            return module;
    }
    return NULL;
}

static void take_unload(struct log_index *index, const struct told_module *told, uint32_t process)
{
    struct log_module *module = loaded_module(index, told, process);
    if (module != NULL)
        module->unload_tick = told->tick;
}

static int take_patch(struct log_index *index, const struct told_module *told, uint32_t process,
                      struct error *error)
{
    struct log_module *module = loaded_module(index, told, process);
    if (module == NULL)
        return 0;
    module->patched = told->patched;
    return told->unpatched != NULL ? replace_text(&module->unpatched, told->unpatched, error) : 0;
}

/* A function that was left out. Bias and start of its module come before. */
static int take_left(struct log_index *index, const struct told_module *told, const char *value,
                     uint32_t process, struct error *error)
{
    uint64_t address;
    struct log_module *module = told->left ? loaded_module(index, told, process) : NULL;
    if (module == NULL)
        return 0;
    fact_hexadecimal(value, &address);
    return array_add(&module->left, &module->left_count, &module->left_capacity, address, error);
}

/* "1f40 strlen" */
static int take_link(struct log_index *index, const char *path, const char *value,
                     struct error *error)
{
    char *end;
    uint64_t address = strtoull(value, &end, 16);
    if (end == value || *end != ' ' || end[1] == 0)
        return 0;
    struct log_links *links = &index->facts.links;
    uint32_t number, before = links->known.count;
    struct log_link link = {.path = text_pool_add(&links->texts, path, strlen(path), error),
                            .address = address,
                            .name = text_pool_add(&links->texts, end + 1, strlen(end + 1), error)};
    if (link.path == NULL || link.name == NULL ||
        intern_add(&links->known, (uint64_t)(uintptr_t)link.path, address, &number, error) != 0)
        return -1;
    return number < before ? 0
                           : array_add(&links->items, &links->count, &links->capacity, link, error);
}

static int take_module(struct log_index *index, const struct told_module *told, uint32_t process,
                       struct error *error)
{
    if (told->path == NULL)
        return 0;
    if (told->unload)
        take_unload(index, told, process);
    if (told->patch)
        return take_patch(index, told, process, error);
    if (told->unload || told->link || told->left)
        return 0;
    if (told->end <= told->start || is_known_load(index, told, process))
        return 0;
    if (array_reserve(&index->modules, &index->modules_capacity, index->modules_count + 1, error) !=
        0)
        return -1;
    struct log_module *module = &index->modules[index->modules_count++];
    *module = (struct log_module){
        .process = process,
        .bias = told->bias,
        .start = told->start,
        .end = told->end,
        .load_tick = told->tick,
        .unload_tick = TICK_UNKNOWN,
    };
    if (told->build_id != NULL && told->build_id[0] != '\0' &&
        replace_text(&module->build_id, told->build_id, error) != 0)
        return -1;
    return replace_text(&module->path, told->path, error);
}

static int take_modules(struct log_index *index, struct facts *facts, uint32_t process,
                        struct error *error)
{
    const char *key;
    const char *value;
    struct told_module told = {.tick = TICK_UNKNOWN};
    while (facts_next(facts, &key, &value)) {
        switch (fact_find(FISQL_CHUNK_MODULES, key)) {
        case FISQL_FACT_MODULES_MODULE:
            if (take_module(index, &told, process, error) != 0)
                return -1;
            told = (struct told_module){.path = value, .tick = TICK_UNKNOWN};
            break;
        case FISQL_FACT_MODULES_EVENT:
            told.unload = strcmp(value, FISQL_MODULE_UNLOAD) == 0;
            told.patch = strcmp(value, FISQL_MODULE_PATCH) == 0;
            told.link = strcmp(value, FISQL_MODULE_LINK) == 0;
            told.left = strcmp(value, FISQL_MODULE_LEFT) == 0;
            break;
        case FISQL_FACT_MODULES_LINKED:
            if (told.link && told.path != NULL && take_link(index, told.path, value, error) != 0)
                return -1;
            break;
        case FISQL_FACT_MODULES_LEFT:
            if (take_left(index, &told, value, process, error) != 0)
                return -1;
            break;
        case FISQL_FACT_MODULES_PATCHED:
            fact_decimal(value, &told.patched);
            break;
        case FISQL_FACT_MODULES_UNPATCHED:
            told.unpatched = value;
            break;
        case FISQL_FACT_MODULES_TAKEN:
            if (told.link && index->facts.links.last < index->facts.links.count)
                index->facts.links.items[index->facts.links.last].taken = true;
            break;
        case FISQL_FACT_MODULES_BUILD_ID:
            told.build_id = value;
            break;
        case FISQL_FACT_MODULES_TICK:
            fact_decimal(value, &told.tick);
            break;
        case FISQL_FACT_MODULES_BIAS:
            fact_hexadecimal(value, &told.bias);
            break;
        case FISQL_FACT_MODULES_START:
            fact_hexadecimal(value, &told.start);
            break;
        case FISQL_FACT_MODULES_END:
            fact_hexadecimal(value, &told.end);
            break;
        default:
            break;
        }
    }
    return take_module(index, &told, process, error);
}

static int take_loss(struct log_index *index, const struct fisql_chunk *chunk, struct facts *facts,
                     uint32_t process, struct error *error)
{
    const char *key;
    const char *value;
    struct log_loss loss = log_loss_of("not told");
    loss.process_id = process + 1; /* an index until log_index_order gives the id */
    if (process != UINT32_MAX && chunk->clock_ns != 0) {
        loss.from_tick = chunk->clock_tick;
        loss.clock_process = process;
    }
    uint64_t error_number = 0;
    char detail[128];
    while (facts_next(facts, &key, &value)) {
        switch (fact_find(FISQL_CHUNK_LOSS, key)) {
        case FISQL_FACT_LOSS_REASON:
            loss.reason = (char *)(uintptr_t)value;
            break;
        case FISQL_FACT_LOSS_DETAIL:
            loss.detail = (char *)(uintptr_t)value;
            break;
        case FISQL_FACT_LOSS_CHUNKS:
            fact_decimal(value, &loss.chunks);
            break;
        case FISQL_FACT_LOSS_CALLS:
            fact_decimal(value, &loss.calls);
            break;
        case FISQL_FACT_LOSS_BYTES:
            fact_decimal(value, &loss.bytes);
            break;
        case FISQL_FACT_LOSS_ERRNO:
            fact_decimal(value, &error_number);
            break;
        default:
            break;
        }
    }
    loss.unwritten = loss.chunks != UINT64_MAX && loss.calls != UINT64_MAX;
    if (error_number > 0 && error_number < 4096) {
        snprintf(detail, sizeof detail, "%s", strerror((int)error_number));
        loss.detail = detail;
    }
    return log_index_add_loss(index, &loss, error);
}

int log_index_take_facts(struct log_index *index, const struct fisql_chunk *chunk, uint32_t process,
                         uint32_t thread, struct error *error)
{
    struct facts facts = facts_begin(chunk + 1, chunk->length - sizeof *chunk);
    if (chunk->kind == FISQL_CHUNK_MODULES)
        return take_modules(index, &facts, process, error);
    if (chunk->kind == FISQL_CHUNK_POINTS)
        return log_points_take(&index->facts.points, &facts, process, error);
    if (chunk->kind == FISQL_CHUNK_LOSS)
        return take_loss(index, chunk, &facts, process, error);
    if (chunk->kind == FISQL_CHUNK_THREAD)
        return take_thread(&index->threads[thread], &facts, error);
    const char *key;
    const char *value;
    int failed = 0;
    while (failed == 0 && facts_next(&facts, &key, &value)) {
        switch (chunk->kind) {
        case FISQL_CHUNK_RUN:
            failed = take_run_fact(index, key, value, error);
            break;
        case FISQL_CHUNK_PROCESS:
            failed = take_process_fact(index, &index->processes[process], key, value, error);
            break;
        default:
            failed = take_end_fact(&index->processes[process], key, value, error);
            break;
        }
    }
    return failed;
}
