/* Nests sorted slices and writes them as a log: see slices.h. */
#include "loader/foreign/slices_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory_text.h"
#include "base/must.h"

#define OPEN_END INT64_MAX /* of a slice whose end is an event that comes */
#define NONE SIZE_MAX

/* An open slice of the track. */
struct open_slice {
    int64_t end_ns;      /* OPEN_END = not known yet */
    size_t whole_before; /* index of the next whole slice further out, NONE = there is none */
};

struct nesting {
    struct slices *slices;
    struct log_writer *writer;
    struct open_slice *items;
    size_t count, capacity;
    size_t whole;  /* index of the innermost whole slice: of all whole ones it ends first */
    size_t deeper; /* slices that are open beyond LOG_WRITER_DEPTH_MAX, which are left out */
    bool begun;    /* a track */
    uint32_t track;
};

/* Ticks count from 1. */
static uint64_t tick_of(const struct nesting *nesting, int64_t ns)
{
    return (uint64_t)(ns - nesting->slices->first_ns) + 1;
}

static int leave(struct nesting *nesting, int64_t ns, struct error *error)
{
    must(nesting->count > 0);
    nesting->count--;
    nesting->deeper = 0;
    if (nesting->whole == nesting->count)
        nesting->whole = nesting->items[nesting->count].whole_before;
    return log_exit(nesting->writer, tick_of(nesting, ns), error);
}

/* Ends the whole slices that end until then, and what is still open within them. */
static int leave_until(struct nesting *nesting, int64_t ns, struct error *error)
{
    while (nesting->whole != NONE && nesting->items[nesting->whole].end_ns <= ns) {
        int64_t end_ns = nesting->items[nesting->whole].end_ns;
        size_t whole = nesting->whole;
        nesting->slices->lost.overlapping += nesting->count - whole - 1;
        while (nesting->count > whole)
            if (leave(nesting, end_ns, error) != 0)
                return -1;
    }
    return 0;
}

static int enter(struct nesting *nesting, const struct slice_record *record, struct error *error)
{
    int64_t end_ns = record->kind == SLICE_WHOLE ? record->end_ns : OPEN_END;
    if (nesting->count >= LOG_WRITER_DEPTH_MAX) {
        nesting->slices->lost.deep++;
        nesting->deeper += end_ns == OPEN_END;
        return 0;
    }
    if (array_reserve(&nesting->items, &nesting->capacity, nesting->count + 1, error) != 0)
        return -1;
    if (end_ns != OPEN_END && nesting->whole != NONE &&
        nesting->items[nesting->whole].end_ns < end_ns) {
        nesting->slices->lost.overlapping++;
        end_ns = nesting->items[nesting->whole].end_ns;
    }
    nesting->items[nesting->count] =
        (struct open_slice){.end_ns = end_ns, .whole_before = nesting->whole};
    if (end_ns != OPEN_END)
        nesting->whole = nesting->count;
    nesting->count++;
    if (log_enter(nesting->writer, tick_of(nesting, record->start_ns),
                  nesting->slices->names[record->name].point, error) != 0)
        return -1;
    log_arguments(nesting->writer, (const unsigned char *)(record + 1), record->values_bytes);
    return 0;
}

/* An end event: of the innermost slice that has one. Whole slices within it are cut. */
static int end(struct nesting *nesting, int64_t ns, struct error *error)
{
    size_t at = nesting->count;
    if (nesting->deeper > 0) {
        nesting->deeper--;
        return 0;
    }
    while (at > 0 && nesting->items[at - 1].end_ns != OPEN_END)
        at--;
    if (at == 0) {
        nesting->slices->lost.unmatched++;
        return 0;
    }
    nesting->slices->lost.overlapping += nesting->count - at;
    while (nesting->count >= at)
        if (leave(nesting, ns, error) != 0)
            return -1;
    return 0;
}

static int mark(struct nesting *nesting, const struct slice_record *record, struct error *error)
{
    const struct slices_name *name = &nesting->slices->names[record->name];
    uint64_t tick = tick_of(nesting, record->start_ns);
    return record->kind == SLICE_MARK && record->values_bytes == 0
               ? log_note(nesting->writer, tick, name->text, error)
               : log_checkpoint(nesting->writer, tick, name->point,
                                (const unsigned char *)(record + 1), record->values_bytes, error);
}

static struct log_place place_of(const struct slices *slices, uint32_t track)
{
    const struct slices_track *of = &slices->tracks[track];
    return (struct log_place){.process_key = of->process + UINT64_C(1),
                              .pid = (uint32_t)slices->processes[of->process].pid,
                              .tid = (uint32_t)of->tid,
                              .thread = of->thread};
}

static int track_end(struct nesting *nesting, struct error *error)
{
    if (!nesting->begun)
        return 0;
    nesting->begun = false;
    if (leave_until(nesting, OPEN_END - 1, error) != 0)
        return -1;
    return log_thread_end(nesting->writer, error);
}

static int track_begin(struct nesting *nesting, uint32_t track, struct error *error)
{
    const struct slices *slices = nesting->slices;
    const struct log_place place = place_of(slices, track);
    const char *name = slices->tracks[track].name;
    nesting->begun = true;
    nesting->track = track;
    nesting->count = nesting->deeper = 0;
    nesting->whole = NONE;
    log_facts_begin(nesting->writer, FISQL_CHUNK_THREAD, &place, 0);
    if (name != NULL && log_fact(nesting->writer, FISQL_FACT_THREAD_NAME, name, error) != 0)
        return -1;
    return log_facts_end(nesting->writer, error) != 0
               ? -1
               : log_thread_begin(nesting->writer, &place, error);
}

static int take(struct nesting *nesting, const struct slice_record *record, struct error *error)
{
    if ((!nesting->begun || nesting->track != record->track) &&
        (track_end(nesting, error) != 0 || track_begin(nesting, record->track, error) != 0))
        return -1;
    if (leave_until(nesting, record->start_ns, error) != 0)
        return -1;
    switch ((enum slice_kind)record->kind) {
    case SLICE_WHOLE:
    case SLICE_BEGIN:
        return enter(nesting, record, error);
    case SLICE_END:
        return end(nesting, record->start_ns, error);
    case SLICE_MARK:
    case SLICE_COUNTER:
        break;
    }
    return mark(nesting, record, error);
}

/* ---- all but the slices ---- */

static int write_name(struct slices_name *name, struct log_writer *writer, struct error *error)
{
    char *lines = NULL;
    size_t size = 0;
    FILE *out = name->arguments_count > 0 ? memory_text_open(&lines, &size) : NULL;
    if (out == NULL && name->arguments_count > 0)
        return error_set(error, "out of memory");
    for (uint32_t i = 0; i < name->arguments_count; i++)
        fprintf(out, "%s%s", i > 0 ? "\n" : "", name->arguments[i]);
    if (out != NULL && fclose(out) != 0) {
        free(lines);
        return error_set(error, "out of memory");
    }
    struct log_writer_point point = {.kind = name->kind, .name = name->text, .values = lines};
    int result = log_writer_point(writer, &point, &name->point, error);
    free(lines);
    return result;
}

static int write_process(const struct slices *slices, uint32_t process, struct log_writer *writer,
                         struct error *error)
{
    const struct slices_process *of = &slices->processes[process];
    const struct log_place place = {.process_key = process + UINT64_C(1), .pid = (uint32_t)of->pid};
    log_facts_begin(writer, FISQL_CHUNK_PROCESS, &place, 1);
    if (log_fact(writer, FISQL_FACT_PROCESS_CLOCK, FISQL_CLOCK_MONOTONIC, error) != 0 ||
        (of->name != NULL &&
         (log_fact(writer, FISQL_FACT_PROCESS_EXECUTABLE, of->name, error) != 0 ||
          log_fact(writer, FISQL_FACT_PROCESS_COMMAND, of->name, error) != 0)))
        return -1;
    return log_facts_end(writer, error);
}

static int write_losses(const struct slices *slices, struct log_writer *writer, struct error *error)
{
    const struct {
        const char *reason;
        uint64_t count;
        bool calls; /* that are missing; else what is counted is less */
    } losses[] = {
        {"slices that overlap without nesting: the inner one is cut where the outer one ends",
         slices->lost.overlapping, false},
        {"ends of slices that did not begin", slices->lost.unmatched, true},
        {"arguments beyond those that a name can have", slices->lost.arguments, false},
        {"arguments at the ends of slices", slices->lost.at_end, false},
        {"slices nested too deeply", slices->lost.deep, true}};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        char count[24];
        snprintf(count, sizeof count, "%llu", (unsigned long long)losses[i].count);
        if (losses[i].count > 0 && log_writer_loss(writer, losses[i].reason,
                                                   losses[i].calls ? losses[i].count : UINT64_MAX,
                                                   losses[i].calls ? NULL : count, error) != 0)
            return -1;
    }
    return 0;
}

int slices_write(struct slices *slices, struct log_writer *writer, struct error *error)
{
    struct nesting nesting = {.slices = slices, .writer = writer, .whole = NONE};
    struct slices_reader *reader = NULL;
    const struct slice_record *record;
    int result = 0, got = 0;
    for (uint32_t i = 0; result == 0 && i < slices->processes_count; i++)
        result = write_process(slices, i, writer, error);
    for (size_t i = 0; result == 0 && i < slices->names_count; i++)
        result = write_name(&slices->names[i], writer, error);
    if (result == 0)
        result = slices_reader_open(&reader, slices, error);
    while (result == 0 && (got = slices_reader_next(reader, &record, error)) > 0)
        result = take(&nesting, record, error);
    if (result == 0)
        result = got < 0 ? -1 : track_end(&nesting, error);
    if (result == 0)
        result = write_losses(slices, writer, error);
    slices_reader_close(reader);
    free(nesting.items);
    return result;
}
