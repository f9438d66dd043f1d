/* See record_log.h. */
#include "cli/record/record_log.h"

#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/shell_words.h"
#include "cli/record/changes.h"
#include "cli/record/log_torn.h"
#include "cli/record/log_totals.h"
#include "cli/record/rank.h"
#include "cli/record/record_faults.h"
#include "cli/record/record_values.h"
#include "cli/record/unrecorded.h"
#include "loader/loader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void record_log_begin(struct live *live, const struct record_options *options, char **argv)
{
    char command[16384], started[24], options_text[PATH_MAX + 4096], folder[PATH_MAX];
    char host[256] = "";
    shell_words(command, sizeof command, (const char *const *)argv);
    snprintf(started, sizeof started, "%lld", (long long)time(NULL));
    record_options_text(options, options_text, sizeof options_text);
    gethostname(host, sizeof host - 1);
    if (getcwd(folder, sizeof folder) == NULL)
        folder[0] = 0;
    bool values = options->values.recipes != NULL;
    bool packs = live->area->writer.packs != 0;
    char patterns[4096];
    record_values_text(&options->values, patterns, sizeof patterns);
    char *expressions = values && options->values.expressions.count > 0
                            ? expressions_text(&options->values.expressions)
                            : NULL;
    const struct live_fact facts[] = {{FISQL_FACT_RUN_COMMAND, command},
                                      {FISQL_FACT_RUN_VERSION, FISQL_VERSION},
                                      {FISQL_FACT_RUN_FOLDER, folder},
                                      {FISQL_FACT_RUN_STARTED, started},
                                      {FISQL_FACT_RUN_HOST, host},
                                      {FISQL_FACT_RUN_OPTIONS, options_text},
                                      {FISQL_FACT_RUN_COMPRESSION, packs ? "zstd" : "none"},
                                      {FISQL_FACT_RUN_VALUES, values ? patterns : NULL},
                                      {FISQL_FACT_RUN_EXPRESSIONS, expressions},
                                      {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_RUN, 0, getpid(), facts);
    free(expressions);
    const char *rank, *ranks;
    if (rank_read(&rank, &ranks)) {
        const struct live_fact place[] = {
            {FISQL_FACT_RUN_RANK, rank}, {FISQL_FACT_RUN_RANKS, ranks}, {0, NULL}};
        live_append_facts(live, FISQL_CHUNK_RUN, 0, getpid(), place);
    }
    char *rules = record_faults_text(&options->faults);
    live_append_fact(live, FISQL_FACT_RUN_FAULT_RULES, rules);
    free(rules);
}

static void losses_append(struct live *live, const char *path)
{
    const struct fisql_live_area *area = live->area;
    if (area->lost_chunks == 0)
        return;
    char chunks[24], calls[24], bytes[24], error[24];
    snprintf(chunks, sizeof chunks, "%llu", (unsigned long long)area->lost_chunks);
    snprintf(calls, sizeof calls, "%llu", (unsigned long long)area->lost_calls);
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)area->lost_bytes);
    snprintf(error, sizeof error, "%llu", (unsigned long long)area->lost_errno);
    const struct live_fact facts[] = {{FISQL_FACT_LOSS_REASON, "write failed"},
                                      {FISQL_FACT_LOSS_CHUNKS, chunks},
                                      {FISQL_FACT_LOSS_CALLS, calls},
                                      {FISQL_FACT_LOSS_BYTES, bytes},
                                      {FISQL_FACT_LOSS_ERRNO, error},
                                      {FISQL_FACT_LOSS_THREAD, "all"},
                                      {0, NULL}};
    live_tell(live, FISQL_CHUNK_LOSS, getpid(), facts);
    fail("%s: %s calls (%s chunks) could not be written: %s", path, calls, chunks,
         strerror((int)area->lost_errno));
}

/* Records which threads found no room in the live area, and which processes ended before they wrote
 * what they kept in their own memory. */
static void unslotted_append(struct live *live, const char *path)
{
    int64_t lost = (int64_t)live->area->unslotted;
    if (lost <= 0)
        return;
    char chunks[24];
    snprintf(chunks, sizeof chunks, "%lld", (long long)lost);
    const struct live_fact facts[] = {{FISQL_FACT_LOSS_REASON, "no place in the live area"},
                                      {FISQL_FACT_LOSS_CHUNKS, chunks},
                                      {FISQL_FACT_LOSS_THREAD, "all"},
                                      {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_LOSS, 0, getpid(), facts);
    fail("%s: the last calls of %s threads are lost: they ended with their processes, and found no "
         "place in the live area (of %u)",
         path, chunks, live->slots);
}

/* The reason why no process that came to record left an event. */
static const char *nothing_reason(const struct live *live, const struct record_options *options,
                                  const struct patch_summary *patched)
{
    if (live->area->lost_chunks != 0 || (int64_t)live->area->unslotted > 0)
        return "what was recorded could not be written";
    if (options->start_off)
        return NOTHING_OFF;
    if (options->filter_bytes != 0)
        return NOTHING_FILTERED;
    return patched->problem[0] != 0
               ? patched->problem
               : "none of its functions with hooks was called while recording was on";
}

/* Says what becomes of the older log if nothing was recorded. */
static void earlier_words(struct log_place *place, bool all, char *text, size_t size)
{
    text[0] = 0;
    if (!log_place_keeps(place))
        return;
    if (!all) /* others may record still */
        snprintf(text, size, "; the earlier %s is kept as %s", place->path, place->earlier);
    else if (log_place_give_back(place))
        snprintf(text, size, "; the earlier %s is kept", place->path);
}

/* Returns whether nothing was recorded. If so, the log says so and why, unless an older one stays
 * in its place. `all`: no process can record any more. */
static bool nothing_append(struct live *live, struct log_place *place,
                           const struct record_options *options,
                           const struct patch_summary *patched, const struct log_totals *totals,
                           const char *program, bool all)
{
    char detail[512], earlier[2 * PATH_MAX + 64];
    bool came = live->area->process_next != 1 || totals->processes;
    if (totals->events || (came && !log_place_keeps(place))) {
        log_place_recorded(place);
        return false;
    }
    const char *reason =
        came ? nothing_reason(live, options, patched) : unrecorded_reason(live, options, program);
    snprintf(detail, sizeof detail, "%s: %s", program, reason);
    const struct live_fact facts[] = {
        {FISQL_FACT_LOSS_REASON, FISQL_LOSS_NOTHING}, {FISQL_FACT_LOSS_DETAIL, detail}, {0, NULL}};
    if (!came)
        live_append_facts(live, FISQL_CHUNK_LOSS, 0, 0, facts);
    earlier_words(place, all, earlier, sizeof earlier);
    fail("%s: %s: %s%s", program, FISQL_LOSS_NOTHING, reason, earlier);
    return true;
}

static void say_result(const struct live *live, const struct log_totals *totals,
                       struct log_rotate *rotate, const struct record_options *options)
{
    char saved[128] = "", logs[2 * PATH_MAX + 128];
    if (live->salvaged_calls != 0)
        snprintf(saved, sizeof saved,
                 " (%llu calls saved from processes that ended without writing them)",
                 (unsigned long long)live->salvaged_calls);
    char written[32];
    output_bytes((double)totals->bytes, written, sizeof written);
    log_rotate_words(rotate, logs, sizeof logs);
    note("%s: %llu calls, %s written%s%s", options->log, (unsigned long long)totals->calls, written,
         logs, saved);
}

bool record_log_complete(struct live *live, struct log_place *place, struct log_space *space,
                         struct log_rotate *rotate, const struct record_options *options,
                         const struct patch_summary *patched, const char *program, bool all)
{
    struct log_totals totals = {0};
    live_salvage(live);
    changes_append(live, true);
    losses_append(live, options->log);
    if (all)
        unslotted_append(live, options->log);
    unrecorded_append(live, options->log, options->quiet);
    record_faults_append(&options->faults, live, options->quiet);
    patch_summary_append(patched, live, options);
    log_totals(place->log, live->area->run_id, live->area->lost_chunks != 0, &totals);
    if (rotate->size_bytes != 0)
        log_rotate_totals(rotate, &totals);
    if (totals.torn)
        log_torn_tell(live, place->path, log_rotate_kept(rotate));
    bool nothing = nothing_append(live, place, options, patched, &totals, program, all);
    if (all)
        log_space_end(space);
    if (!nothing && !options->quiet)
        say_result(live, &totals, rotate, options);
    return nothing;
}
