/*
 * fisql record: runs a program with the collector and stays beside it.
 *
 * It makes the log and the live area, starts the program with the collector preloaded, passes
 * signals on, and waits until the program and all of its processes that record have ended, or until
 * a signal ends the waiting. Then it appends what dead processes left in the live area, so a crash
 * loses nothing. It ends as the program ended: with its exit status, or by its signal.
 */
#include "cli/cmd_record.h"

#include "cli/out/args.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/record/call_names.h"
#include "cli/record/changes.h"
#include "cli/record/incident_report.h"
#include "cli/record/late_images.h"
#include "cli/record/live.h"
#include "cli/record/live_writer.h"
#include "cli/record/late_modules.h"
#include "cli/record/log_place.h"
#include "cli/record/log_space.h"
#include "cli/record/log_totals.h"
#include "cli/record/process_stat.h"
#include "cli/record/program_file.h"
#include "cli/record/rank.h"
#include "cli/record/record_faults.h"
#include "cli/record/record_filter.h"
#include "cli/record/record_libraries.h"
#include "cli/record/record_options.h"
#include "cli/record/record_plugin.h"
#include "cli/record/record_signals.h"
#include "cli/record/record_values.h"
#include "cli/record/reference.h"
#include "cli/record/start_watch.h"
#include "cli/record/summary.h"
#include "cli/record/told.h"
#include "cli/out/interrupts.h"
#include "cli/record/unrecorded.h"
#include "loader/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cmd_record(int argc, char **argv);

/* ---- the program ---- */

/* The collector of this name: beside the program, or where make install puts it. */
static bool collector_find(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"", "../lib/fisql/"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = 0;
        char *slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = 0;
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            char candidate[PATH_MAX + 32];
            snprintf(candidate, sizeof candidate, "%s/%s%s", self, places[i], name);
            char full[PATH_MAX];
            if (access(candidate, R_OK) == 0 && realpath(candidate, full) != NULL &&
                (size_t)snprintf(path, size, "%s", full) < size)
                return true;
        }
    }
    snprintf(path, size, "%s/lib/fisql/%s", FISQL_PREFIX, name);
    return access(path, R_OK) == 0;
}

/* The libraries to preload. Returns 0, or 2 after saying which is missing. */
static int libraries_find(const struct record_options *options, char *paths, size_t size)
{
    const char *const names[] = {options->faults.library_calls ? "libfisql-calls.so" : NULL,
                                 options->locks != 0 ? "libfisql-locks.so" : NULL,
                                 options->faults.area != NULL ? "libfisql-faults.so"
                                 : options->values.wanted     ? "libfisql-values.so"
                                                              : "libfisql.so"};
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        if (names[i] == NULL)
            continue;
        if (!collector_find(names[i], path, sizeof path))
            return fail("%s: not found beside fisql nor in %s/lib/fisql: run make, or make install",
                        names[i], FISQL_PREFIX);
        used += (size_t)snprintf(paths + used, size - used, "%s%s", used > 0 ? ":" : "", path);
        if (used >= size)
            return fail("%s: its path is too long", names[i]);
    }
    return 0;
}

/* An ASan runtime insists on being the first of all libraries. The collector stops that check by
 * __asan_default_options(), unless the program itself has that function. */
static int asan_options_set(const char *program)
{
    struct program_file file;
    char text[4096];
    const char *options = getenv("ASAN_OPTIONS");
    program_file_look(&file, program);
    if (!file.own_asan_options || file.is_static)
        return 0;
    if ((size_t)snprintf(text, sizeof text, "%s%sverify_asan_link_order=0",
                         options != NULL ? options : "",
                         options != NULL && *options ? ":" : "") >= sizeof text)
        return -1;
    return setenv("ASAN_OPTIONS", text, 1);
}

static int environment_set(const struct record_options *options, const char *collector,
                           const struct live *live, const char *log_path)
{
    char text[3 * PATH_MAX + 4096];
    const char *preload = getenv("LD_PRELOAD");
    snprintf(text, sizeof text, "%s%s%s", collector, preload != NULL && *preload ? ":" : "",
             preload != NULL ? preload : "");
    int failed = setenv("LD_PRELOAD", text, 1);
    snprintf(text, sizeof text, "/proc/%d/fd/%d", (int)getpid(), live->memory);
    failed |= setenv(fisql_variable(FISQL_VARIABLE_LIVE), text, 1) |
              setenv(fisql_variable(FISQL_VARIABLE_LOG), log_path, 1);
    record_options_text(options, text, sizeof text);
    const char *variable = fisql_variable(FISQL_VARIABLE_OPTIONS);
    failed |= text[0] != 0 ? setenv(variable, text, 1) : unsetenv(variable);
    return failed;
}

/* Starts the program. A failed exec comes back through a pipe, to distinguish it from a program
 * that ends with the same status. Returns the pid, or -1 with errno. */
static pid_t program_start(char **argv, const struct signals *signals, struct live *live)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        interrupts_child();
        signals_inherit(signals);
        live->area->start.program = (uint32_t)getpid();
        execvp(argv[0], argv);
        int error = errno;
        ssize_t written = write(report[1], &error, sizeof error);
        _exit(written < 0 ? 126 : 127);
    }
    int error = errno;
    close(report[1]);
    if (pid > 0) {
        ssize_t got;
        while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
            ;
        if (got == (ssize_t)sizeof error) {
            waitpid(pid, NULL, 0);
            pid = -1;
        }
    }
    close(report[0]);
    errno = error;
    return pid;
}

/* A process at its end, before it is reaped. */
struct end {
    struct timespec at;
    struct process_times times;
};

static struct end end_of(pid_t pid)
{
    struct end end;
    clock_gettime(CLOCK_MONOTONIC, &end.at);
    process_times_read(pid, &end.times);
    return end;
}

static void end_append(struct live *live, uint64_t key, pid_t pid, int status,
                       const struct end *end)
{
    char signal_text[16], ns[24], cpu_ns[24], waits[24], preemptions[24], queued_ns[24];
    if (key == 0 || !WIFSIGNALED(status))
        return; /* the collector has recorded how it ended */
    snprintf(signal_text, sizeof signal_text, "%d", WTERMSIG(status));
    snprintf(ns, sizeof ns, "%lld%09ld", (long long)end->at.tv_sec, end->at.tv_nsec);
    snprintf(cpu_ns, sizeof cpu_ns, "%" PRIu64, end->times.ran_ns);
    snprintf(waits, sizeof waits, "%" PRIu64, end->times.waits);
    snprintf(preemptions, sizeof preemptions, "%" PRIu64, end->times.preemptions);
    snprintf(queued_ns, sizeof queued_ns, "%" PRIu64, end->times.queued_ns);
    bool counted = end->times.ran_ns > 0; /* else the facts end before it */
    const struct live_fact facts[] = {{FISQL_FACT_END_HOW, FISQL_HOW_SIGNAL},
                                      {FISQL_FACT_END_SIGNAL, signal_text},
                                      {FISQL_FACT_END_CORE, WCOREDUMP(status) ? "1" : "0"},
                                      {FISQL_FACT_END_NS, ns},
                                      {FISQL_FACT_END_CPU_NS, counted ? cpu_ns : NULL},
                                      {FISQL_FACT_END_WAITS, waits},
                                      {FISQL_FACT_END_PREEMPTIONS, preemptions},
                                      {FISQL_FACT_END_QUEUED_NS, queued_ns},
                                      {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_END, key, pid, facts);
}

/* Waits for the program's end. Returns its wait status; *cpu gets its processor time. */
static int program_wait(struct live_writer *writer, struct log_space *space,
                        struct log_place *place, struct signals *signals, uint64_t *cpu)
{
    struct live *live = writer->live;
    struct rusage usage = {0};
    pid_t pid = signals->program;
    struct start_watch start = {0};
    int status = 0, timeout_ms = 50;
    for (;;) {
        siginfo_t child = {0};
        signals_wait(signals, timeout_ms);
        if (waitid(P_PID, (id_t)pid, &child, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            child.si_pid == pid) {
            /* Before it is reaped and its pid can become another's. */
            signals_program_ended(signals);
            uint64_t key = live_process_key(live, pid);
            struct end end = end_of(pid);
            wait4(pid, &status, 0, &usage);
            *cpu = reference_cpu_ns(&usage);
            end_append(live, key, pid, status, &end);
            return status;
        }
        child.si_pid = 0;
        if (waitid(P_PID, (id_t)pid, &child, WSTOPPED | WNOHANG) == 0 && child.si_pid == pid)
            signals_stop(signals, child.si_status);
        start_watch_look(&start, live, signals);
        live_writer_keep(writer);
        changes_append(live, false);
        if (log_place_keeps(place) && live_holds_events(live))
            log_place_recorded(place);
        timeout_ms = log_space_keep(space) || log_place_keeps(place) ? 50 : 250;
    }
}

/* Waits for the processes that the program left behind, as long as they may record. Returns false
 * if the user ended the waiting. */
static bool others_wait(struct live_writer *writer, struct log_space *space,
                        struct signals *signals, bool quiet)
{
    struct live *live = writer->live;
    char names[512], setting[64];
    bool told = quiet;
    snprintf(setting, sizeof setting, "%s=/proc/%d/fd/%d", fisql_variable(FISQL_VARIABLE_LIVE),
             (int)getpid(), live->memory);
    for (int waited_ms = 0; live_busy(live) || late_images(setting) || !live_close(live);) {
        if (signals->end_asked)
            return live_close(live); /* those that we were waiting for may not record any more */
        if (!told && waited_ms >= 100 && live_busy(live)) {
            live_names(live, names, sizeof names);
            note("the program has ended; waiting for what it left running%s (Ctrl-C ends the "
                 "waiting)",
                 names);
            told = true;
        }
        int timeout_ms = waited_ms < 2000 ? 20 : 100;
        signals_wait(signals, timeout_ms);
        waited_ms += waited_ms < 1000000 ? timeout_ms : 0;
        live_writer_keep(writer);
        log_space_keep(space);
    }
    return true;
}

/* ---- what it took ---- */

/* Records the program's processor time, and what it takes without the collector. */
static void times_append(struct live *live, const struct record_options *options, uint64_t cpu,
                         char **argv, struct recorded *recorded)
{
    struct signals *signals = &recorded->signals;
    char cpu_text[24], reference_text[24];
    uint64_t reference = 0;
    if (options->reference && !signals->end_asked) {
        if (!options->quiet)
            note("running the program once more, without the collector");
        reference = reference_run(&recorded->reference, argv, signals, recorded->status);
        recorded->interrupted = signals->end_asked != 0;
    }
    snprintf(cpu_text, sizeof cpu_text, "%llu", (unsigned long long)cpu);
    snprintf(reference_text, sizeof reference_text, "%llu", (unsigned long long)reference);
    const struct live_fact facts[] = {
        {FISQL_FACT_RUN_CPU_NS, cpu_text},
        {FISQL_FACT_RUN_REFERENCE_CPU_NS, reference != 0 ? reference_text : NULL},
        {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_RUN, 0, getpid(), facts);
    if (recorded->interrupted)
        recorded->status = W_EXITCODE(0, signals->end_asked);
}

/* ---- the whole ---- */

static void run_append(struct live *live, const struct record_options *options, char **argv)
{
    char command[16384] = "", started[24], options_text[PATH_MAX + 4096], folder[PATH_MAX];
    char host[256] = "";
    size_t used = 0;
    for (char **word = argv; *word != NULL && used < sizeof command; word++)
        used +=
            (size_t)snprintf(command + used, sizeof command - used, "%s%s", used ? " " : "", *word);
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
                       const struct record_options *options)
{
    char saved[128] = "";
    if (live->salvaged_calls != 0)
        snprintf(saved, sizeof saved,
                 " (%llu calls saved from processes that ended without writing them)",
                 (unsigned long long)live->salvaged_calls);
    char written[32];
    output_bytes((double)totals->bytes, written, sizeof written);
    note("%s: %llu calls, %s written%s", options->log, (unsigned long long)totals->calls, written,
         saved);
}

/* Says which processes go on recording: the log gets their last events when they write them. */
static void say_left(struct live *live)
{
    char names[512];
    live_names(live, names, sizeof names);
    note("not waited for%s: what they record from now on is missing until they write it, and lost "
         "where they are killed",
         names);
}

int record_end_as(int status)
{
    if (WIFSIGNALED(status)) {
        fflush(NULL);
        signals_die(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

/* The threads that work beside the program while it runs. */
struct beside {
    struct live_writer writer;
    struct late_modules late;
    struct incident_report incidents;
    struct told told;
    struct summary summary;
    struct call_names names;
};

static void beside_start(struct beside *beside, struct live *live,
                         const struct record_options *options, const struct signals *signals)
{
    live_writer_start(&beside->writer, live, !options->no_compress);
    late_modules_start(&beside->late, live, options);
    incident_report_start(&beside->incidents, live, options);
    told_start(&beside->told, live);
    summary_start(&beside->summary, live, options, &signals->summaries);
    call_names_start(&beside->names, live, options);
}

static void beside_end(struct beside *beside)
{
    summary_stop(&beside->summary);
    incident_report_end(&beside->incidents);
    told_end(&beside->told);
    call_names_end(&beside->names);
    late_modules_end(&beside->late);
    live_writer_end(&beside->writer);
}

/* Completes the log when the program, and what it left running, have ended. */
static void complete(struct live *live, struct log_place *place, struct log_space *space,
                     const struct record_options *options, const struct patch_summary *patched,
                     const char *program, bool all, struct recorded *recorded)
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
    recorded->nothing = nothing_append(live, place, options, patched, &totals, program, all);
    if (all)
        log_space_end(space);
    if (!recorded->nothing && !options->quiet)
        say_result(live, &totals, options);
}

/* Runs the program, and writes its log. Returns 0, or 2 if it could not be run. */
static int run(struct live *live, struct log_place *place, const struct record_options *options,
               char **argv, struct recorded *recorded)
{
    struct signals *signals = &recorded->signals;
    struct beside beside;
    struct log_space space;
    uint64_t cpu = 0;
    signals_begin(signals);
    signals->summary = options->summary.signal;
    beside_start(&beside, live, options, signals);
    run_append(live, options, argv);
    changes_begin(live, options);
    live_reserve(live);
    log_space_begin(&space, place->log);
    signals->program = program_start(argv, signals, live);
    if (signals->program < 0) {
        int error = errno;
        beside_end(&beside);
        witness_end(&signals->witness);
        return fail("%s: cannot be run: %s", argv[0], strerror(error));
    }
    recorded->status = program_wait(&beside.writer, &space, place, signals, &cpu);
    bool all = others_wait(&beside.writer, &space, signals, options->quiet);
    beside_end(&beside);
    complete(live, place, &space, options, &beside.late.summary, argv[0], all, recorded);
    if (!recorded->nothing)
        summary_end(&beside.summary);
    if (!recorded->nothing && !options->quiet)
        patch_summary_say(&beside.late.summary, options, argv[0]);
    if (!recorded->nothing)
        incident_report_say(&beside.incidents, recorded->status);
    if (!all)
        say_left(live);
    if (!recorded->nothing)
        times_append(live, options, cpu, argv, recorded);
    return 0;
}

/* Records. Returns 0, or 2 if the program could not be run. */
static int record(const struct record_options *options, char **argv, const char *collector,
                  struct recorded *recorded)
{
    struct live live = {.memory = -1};
    struct log_place place;
    char path[PATH_MAX];
    int status;
    /* before an older log is replaced */
    if (!program_find(argv[0], path, sizeof path))
        return fail("%s: cannot be run: %s", argv[0], strerror(errno));
    if (log_place_make(&place, options->log) != 0)
        return 2;
    if (realpath(options->log, path) == NULL)
        status = fail("%s: %s", options->log, strerror(errno));
    else if (live_make(&live, place.log, options) != 0)
        status = fail("the live area cannot be made: %s", strerror(errno));
    else if (environment_set(options, collector, &live, path) != 0 ||
             asan_options_set(argv[0]) != 0)
        status = fail("the environment cannot be set: %s", strerror(errno));
    else
        status = run(&live, &place, options, argv, recorded);
    if (status != 0)
        log_place_remove(&place);
    live_release(&live);
    close(place.log);
    return status;
}

/* The library that records locks lies before the C library and needs the collector as a library of
 * its own. Returns 0, or 2 after saying that the program holds the collector itself. */
static int locks_check(const struct record_options *options, const char *program)
{
    struct program_file file;
    if (options->locks == 0)
        return 0;
    program_file_look(&file, program);
    if (!file.collector && !(file.is_static && file.hooks))
        return 0;
    return fail("%s: it holds the collector that records no locks: link it without -static and "
                "without `fisql cc --static-runtime`",
                program);
}

/* A program that was built with hooks is recorded by them, and so are the programs that it starts.
 * What an emulator runs has a collector of its own. A program that holds the collector has hooks for
 * its sleds to lead to. */
static void as_is_choose(struct record_options *options, const char *program)
{
    struct program_file file;
    program_file_look(&file, program);
    if (options->as_is == 1 && (file.emulator || (file.known && !file.machine_same)))
        options->as_is = FISQL_AS_IS_GUEST;
    else if (options->as_is == 1 && !(file.collector && file.sleds) &&
             (file.hooks || file.collector))
        options->as_is = 0;
}

int record_program(struct record_options *options, char **program, struct recorded *recorded)
{
    char collector[2 * PATH_MAX + 64];
    *recorded = (struct recorded){.reference = {.input = -1}};
    const struct record_values *values = &options->values;
    as_is_choose(options, program[0]);
    uint32_t string_max = !values->wanted          ? 0
                          : values->string_max > 0 ? values->string_max
                                                   : RECORD_STRING_MAX;
    if (locks_check(options, program[0]) != 0 || record_plugin_check(options, program[0]) != 0 ||
        record_faults_make(options, program[0], string_max) != 0 ||
        libraries_find(options, collector, sizeof collector) != 0)
        return 2;
    int status = record_filter_make(options, program[0]) != 0 ||
                         record_threads_make(options, program[0]) != 0 ||
                         record_values_make(options, program[0]) != 0 ||
                         (options->reference && reference_prepare(&recorded->reference) != 0)
                     ? 2
                     : record(options, program, collector, recorded);
    reference_release(&recorded->reference);
    return status;
}

int cmd_record(int argc, char **argv)
{
    struct record_options options;
    struct recorded recorded;
    int first = 0, status = record_options_parse(&options, argc, argv, &first);
    if (status == ARGS_GO_ON)
        status = record_program(&options, argv + first, &recorded) == 0
                     ? record_end_as(recorded.status)
                     : 2;
    record_options_release(&options);
    return status;
}
