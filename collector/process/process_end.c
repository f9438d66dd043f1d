/*
 * The end of the process: writes what threads have recorded, what was lost, and how the process
 * ended.
 *
 * Calls after our own destructor (by other libraries' destructors) are written at once, a chunk an
 * event, if there is no fisql record or no place in its live area: nobody would write them later.
 */
#include "collector/process/process_end.h"

#include "collector/core/changes.h"
#include "collector/core/facts.h"
#include "collector/core/feature.h"
#include "collector/core/fork_mark.h"
#include "collector/core/hand_over.h"
#include "collector/core/library.h"
#include "collector/core/live_area.h"
#include "collector/core/log_file.h"
#include "collector/core/mapped.h"
#include "collector/core/quiet.h"
#include "collector/core/thread_log.h"
#include "collector/process/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma weak on_exit /* musl has none, and does not declare it */
int on_exit(void (*function)(int status, void *argument), void *argument);

static bool exit_began;      /* our destructor has run */
static int status_told = -1; /* the one in the log */

/* status: -1 = none */
static void end_facts(const char *how, int status)
{
    unsigned char buffer[1024];
    struct facts facts;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_END, 0, process.pid);
    facts_text(&facts, FISQL_FACT_END_HOW, how);
    if (status >= 0)
        facts_number(&facts, FISQL_FACT_END_STATUS, (uint64_t)(status & 0xff));
    facts_number(&facts, FISQL_FACT_END_TICK, clock_read(process.clock));
    facts_write(&facts);
}

/* exit() calls it, before or after our destructor: a preloaded library's constructors run before
 * exit() gets its own first handler. */
static void exit_status_known(int status, void *context)
{
    (void)context;
    if (!process_recording() || (!silent() && (uint32_t)getpid() != process.pid))
        return;
    struct quiet quiet;
    quiet_begin(&quiet);
    end_facts(FISQL_HOW_EXIT, status);
    status_told = status;
    quiet_end(&quiet);
}

void process_end_setup(void)
{
    if (on_exit != NULL)
        on_exit(exit_status_known, NULL);
}

static void report_unrecorded(struct fisql_unrecorded_images *images, const char *words)
{
    unsigned char buffer[1024];
    struct facts facts;
    uint32_t count = __atomic_exchange_n(&images->count, 0, __ATOMIC_ACQ_REL);
    for (uint32_t i = 0; i < count && i < 1000; i++) {
        char detail[256] = "?";
        if (i < FISQL_UNRECORDED_NAMES && i < images->named)
            strncpy(detail, images->names[i], sizeof images->names[i] - 1);
        strcat(strcat(detail, ": "), words);
        facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS, 0, process.pid);
        facts_text(&facts, FISQL_FACT_LOSS_REASON, "program not recorded");
        facts_text(&facts, FISQL_FACT_LOSS_DETAIL, detail);
        facts_write(&facts);
    }
}

/* Without fisql record: writes losses as a chunk, if there are any. */
static void report_losses(void)
{
    unsigned char buffer[1024];
    struct fisql_live_area *area = process.area;
    struct facts facts;
    if (process.with_parent || area == NULL)
        return;
#define REPORT(constant, number, words)                                                            \
    if (number != FISQL_UNRECORDED_FOLLOWED)                                                       \
        report_unrecorded(&area->unrecorded[number], words);
    FISQL_UNRECORDED(REPORT)
#undef REPORT
    uint64_t chunks = __atomic_exchange_n(&area->lost_chunks, 0, __ATOMIC_ACQ_REL);
    uint64_t calls = __atomic_exchange_n(&area->lost_calls, 0, __ATOMIC_ACQ_REL);
    uint64_t bytes = __atomic_exchange_n(&area->lost_bytes, 0, __ATOMIC_ACQ_REL);
    if (chunks == 0)
        return;
    facts_begin(&facts, buffer, sizeof buffer, FISQL_CHUNK_LOSS, 0, process.pid);
    facts_text(&facts, FISQL_FACT_LOSS_REASON, "write failed");
    facts_number(&facts, FISQL_FACT_LOSS_CHUNKS, chunks);
    facts_number(&facts, FISQL_FACT_LOSS_CALLS, calls);
    facts_number(&facts, FISQL_FACT_LOSS_BYTES, bytes);
    facts_number(&facts, FISQL_FACT_LOSS_ERRNO, area->lost_errno);
    facts_text(&facts, FISQL_FACT_LOSS_THREAD, "all");
    uint64_t error = area->lost_errno;
    if (facts_write(&facts) == 0)
        return;
    /* They stay in the live area, where the loader finds them. */
    __atomic_fetch_add(&area->lost_chunks, chunks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&area->lost_calls, calls, __ATOMIC_RELAXED);
    __atomic_fetch_add(&area->lost_bytes, bytes, __ATOMIC_RELAXED);
    area->lost_errno = error;
}

static void process_end(void)
{
    struct usage ended;
    if (silent())
        thread_log_finish(FISQL_HOW_WITH_PROCESS, NULL);
    if (silent() || !process_recording() || (uint32_t)getpid() != process.pid)
        return; /* not recorded, or a vfork's child, which owns nothing */
    thread_usage_now(&ended);
    FEATURES_CALL(ending)();
    struct quiet quiet;
    quiet_begin(&quiet);
    collector_inside++;
    if (!process.with_parent || thread_logs_unslotted()) {
        process.ending = 1;
        thread_logs_poke();
    }
    thread_logs_cut_off();
    thread_log_finish(FISQL_HOW_WITH_PROCESS, &ended);
    FEATURES_CALL(ended)();
    hand_over_end();
    changes_write(true);
    report_losses();
    live_area_remove();
    collector_inside--;
    quiet_end(&quiet);
}

void process_leave(void)
{
    struct quiet quiet;
    if (!process_recording())
        return;
    quiet_begin(&quiet);
    collector_inside++;
    __atomic_store_n(&process.paused, 1, __ATOMIC_SEQ_CST);
    fork_mark_paused();
    thread_logs_leave();
    FEATURES_CALL(ended)();
    changes_write(true);
    end_facts(FISQL_HOW_DETACH, -1);
    __atomic_store_n(&process.active, PROCESS_NEVER, __ATOMIC_RELEASE);
    int files[] = {log_file_descriptor(), live_area_descriptor()};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
    current_log = paused_log = NULL;
    process.area = NULL;
    mapped_drop_all();
    collector_inside--;
    quiet_end(&quiet);
}

static __attribute__((destructor)) void process_destructor(void)
{
    exit_began = true;
    process_end();
}

void process_returned(int status)
{
    if (silent())
        process_end();
    if (silent() || !process_recording() || (uint32_t)getpid() != process.pid)
        return;
    process_end();
    struct quiet quiet;
    quiet_begin(&quiet);
    /* In a static program exit() itself calls _exit() by that name. */
    if (status != status_told)
        end_facts(exit_began ? FISQL_HOW_EXIT : FISQL_HOW_AT_ONCE, status);
    quiet_end(&quiet);
}

EXPORT __attribute__((noreturn)) void _exit(int status)
{
    process_returned(status);
    library_exit(status);
}

EXPORT __attribute__((noreturn)) void _Exit(int status)
{
    _exit(status);
}
