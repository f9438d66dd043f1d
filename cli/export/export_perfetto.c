/*
 * Export to Perfetto: a trace is a row of TracePackets (field 1). Each thread is a track with
 * slices that begin and end; names are interned at their first use; live memory is a counter track.
 * Field numbers from protos/perfetto/trace/ of https://github.com/google/perfetto.
 */
#include "cli/run/database.h"
#include "cli/export/export.h"
#include "cli/export/protobuf.h"
#include "cli/out/say.h"

#include <stdlib.h>

enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    FLAGS_CLEARED = 1,
    FLAGS_NEEDS_STATE = 2,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER_VALUE = 30,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    COUNTER_UNIT = 3,
    UNIT_BYTES = 3,
    INTERNED_NAMES = 2,
    ANNOTATION_TEXT = 6,
    ANNOTATION_NAME = 10,
};

#define UUID_MEMORY UINT64_C(1)
#define UUID_PROCESSES (UINT64_C(1) << 40)
#define UUID_THREADS (UINT64_C(1) << 41)

struct trace {
    const struct export *export;
    bool *known; /* by functions.id: its name is interned */
    uint64_t track;
    bool begun; /* the first packet is written */
    struct message packet, part, inner;
};

static int put_packet(struct trace *trace)
{
    struct message *framed = &trace->inner;
    message_clear(framed);
    message_put(framed, TRACE_PACKET, &trace->packet);
    if (framed->failed)
        return fail("out of memory");
    fwrite(framed->bytes, 1, framed->count, trace->export->out);
    return 0;
}

static void begin_packet(struct trace *trace)
{
    message_clear(&trace->packet);
    message_clear(&trace->part);
    message_int(&trace->packet, PACKET_SEQUENCE, 1);
    message_int(&trace->packet, PACKET_FLAGS,
                trace->begun ? FLAGS_NEEDS_STATE : FLAGS_CLEARED | FLAGS_NEEDS_STATE);
    trace->begun = true;
}

/* ---- tracks ---- */

static int put_process(struct trace *trace, const struct run_thread *thread)
{
    const char *command = trace->export->view->command;
    begin_packet(trace);
    message_int(&trace->part, TRACK_UUID, UUID_PROCESSES + (uint64_t)thread->process_id);
    message_clear(&trace->inner);
    message_int(&trace->inner, 1, (uint64_t)thread->pid);
    message_text(&trace->inner, 6, command != NULL ? command : "program");
    message_put(&trace->part, TRACK_PROCESS, &trace->inner);
    message_put(&trace->packet, PACKET_TRACK, &trace->part);
    return put_packet(trace);
}

static int put_thread(struct trace *trace, const struct run_thread *thread)
{
    begin_packet(trace);
    message_int(&trace->part, TRACK_UUID, trace->track);
    message_int(&trace->part, TRACK_PARENT, UUID_PROCESSES + (uint64_t)thread->process_id);
    message_clear(&trace->inner);
    message_int(&trace->inner, 1, (uint64_t)thread->pid);
    message_int(&trace->inner, 2, (uint64_t)thread->tid);
    message_text(&trace->inner, 5, thread->name);
    message_put(&trace->part, TRACK_THREAD, &trace->inner);
    message_put(&trace->packet, PACKET_TRACK, &trace->part);
    return put_packet(trace);
}

/* ---- events ---- */

static void intern_name(struct trace *trace, uint32_t function)
{
    struct message interned = {.bytes = NULL};
    message_clear(&trace->inner);
    message_int(&trace->inner, 1, function);
    message_text(&trace->inner, 2, trace->export->view->functions[function].name);
    message_put(&interned, INTERNED_NAMES, &trace->inner);
    message_put(&trace->packet, PACKET_INTERNED, &interned);
    message_release(&interned);
    trace->known[function] = true;
}

/* Arguments and the result of the call that was read last, as debug annotations. */
static void put_values(struct trace *trace)
{
    const struct call_values *values = trace->export->values;
    for (size_t i = 0; i < values->shown_count; i++) {
        char name[256];
        call_values_name(&values->shown[i], name, sizeof name);
        message_clear(&trace->inner);
        message_text(&trace->inner, ANNOTATION_NAME, name);
        message_text(&trace->inner, ANNOTATION_TEXT,
                     values->shown[i].text != NULL ? values->shown[i].text : "?");
        message_put(&trace->part, EVENT_ANNOTATION, &trace->inner);
    }
}

static int put_event(struct trace *trace, int type, int64_t at_ns, uint32_t function)
{
    begin_packet(trace);
    message_int(&trace->packet, PACKET_TIMESTAMP, (uint64_t)at_ns);
    if (function != 0 && !trace->known[function])
        intern_name(trace, function);
    if (function != 0)
        put_values(trace);
    message_int(&trace->part, EVENT_TYPE, (uint64_t)type);
    message_int(&trace->part, EVENT_TRACK, trace->track);
    if (function != 0)
        message_int(&trace->part, EVENT_NAME_IID, function);
    message_put(&trace->packet, PACKET_TRACK_EVENT, &trace->part);
    return put_packet(trace);
}

static int perfetto_enter(void *context, const struct shown_call *call)
{
    struct trace *trace = context;
    uint32_t function = trace->export->view->frames[call->frame].function;
    int status = call_values_read(trace->export->values, function, call->id);
    return status != 0 ? status : put_event(trace, TYPE_BEGIN, call->enter_ns, function);
}

static int perfetto_leave(void *context, const struct shown_call *call)
{
    return put_event(context, TYPE_END, call->exit_ns, 0);
}

static int perfetto_gap(void *context, int64_t start_ns, int64_t end_ns)
{
    struct trace *trace = context;
    begin_packet(trace);
    message_int(&trace->packet, PACKET_TIMESTAMP, (uint64_t)start_ns);
    message_int(&trace->part, EVENT_TYPE, TYPE_BEGIN);
    message_int(&trace->part, EVENT_TRACK, trace->track);
    message_text(&trace->part, EVENT_NAME, EXPORT_GAP_NAME);
    message_put(&trace->packet, PACKET_TRACK_EVENT, &trace->part);
    int status = put_packet(trace);
    return status != 0 ? status : put_event(trace, TYPE_END, end_ns, 0);
}

static int put_memory(struct trace *trace)
{
    const struct export *export = trace->export;
    sqlite3_stmt *row = NULL;
    begin_packet(trace);
    message_int(&trace->part, TRACK_UUID, UUID_MEMORY);
    message_text(&trace->part, TRACK_NAME, "live memory");
    message_clear(&trace->inner);
    message_int(&trace->inner, COUNTER_UNIT, UNIT_BYTES);
    message_put(&trace->part, TRACK_COUNTER, &trace->inner);
    message_put(&trace->packet, PACKET_TRACK, &trace->part);
    int status = put_packet(trace);
    if (status != 0)
        return status;
    status = export_memory_begin(export, &row);
    if (status != 0)
        return status;
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW) {
        begin_packet(trace);
        message_int(&trace->packet, PACKET_TIMESTAMP, (uint64_t)sqlite3_column_int64(row, 0));
        message_int(&trace->part, EVENT_TYPE, TYPE_COUNTER);
        message_int(&trace->part, EVENT_TRACK, UUID_MEMORY);
        message_int(&trace->part, EVENT_COUNTER_VALUE, (uint64_t)sqlite3_column_int64(row, 1));
        message_put(&trace->packet, PACKET_TRACK_EVENT, &trace->part);
        status = put_packet(trace);
    }
    int ended = database_rows_end(row, "the live memory");
    return status != 0 ? status : ended;
}

/* Faults of a thread, as instants on its track. */
static int put_faults(struct trace *trace, const struct run_thread *thread)
{
    sqlite3_stmt *row = NULL;
    int status = export_faults_begin(trace->export, thread, &row);
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW) {
        begin_packet(trace);
        message_int(&trace->packet, PACKET_TIMESTAMP, (uint64_t)sqlite3_column_int64(row, 0));
        message_int(&trace->part, EVENT_TYPE, TYPE_INSTANT);
        message_int(&trace->part, EVENT_TRACK, trace->track);
        message_text(&trace->part, EVENT_NAME, (const char *)sqlite3_column_text(row, 1));
        message_put(&trace->packet, PACKET_TRACK_EVENT, &trace->part);
        status = put_packet(trace);
    }
    int ended = row != NULL ? database_rows_end(row, "the faults") : 0;
    return status != 0 ? status : ended;
}

int export_perfetto(const struct export *export)
{
    const struct run_view *view = export->view;
    struct trace trace = {.export = export};
    const struct export_sink sink = {perfetto_enter, perfetto_leave, perfetto_gap, &trace};
    int64_t process = -1;
    trace.known = calloc(view->functions_count + 1, sizeof *trace.known);
    int status = trace.known == NULL ? fail("out of memory") : put_memory(&trace);
    for (size_t i = 0; status == 0 && i < view->threads_count; i++) {
        const struct run_thread *thread = &view->threads[i];
        if (!export_has_thread(export, thread))
            continue;
        trace.track = UUID_THREADS + (uint64_t)thread->id;
        if (thread->process_id != process)
            status = put_process(&trace, thread);
        process = thread->process_id;
        if (status == 0)
            status = put_thread(&trace, thread);
        if (status == 0)
            status = export_walk(export, thread, &sink);
        if (status == 0)
            status = put_faults(&trace, thread);
    }
    free(trace.known);
    message_release(&trace.packet);
    message_release(&trace.part);
    message_release(&trace.inner);
    return status;
}
