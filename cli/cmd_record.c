/*
 * fisql record: runs a program with the collector and stays beside it.
 *
 * It makes the log and the live area, starts the program with the collector preloaded, passes
 * signals on, and waits until the program and all of its processes that record have ended, or until
 * a signal ends the waiting. Then it appends what dead processes left in the live area, so a crash
 * loses nothing. It ends as the program ended: with its exit status, or by its signal.
 */
#include "cli/cmd_record.h"

#include "base/installed.h"
#include "cli/out/args.h"
#include "cli/out/interrupts.h"
#include "cli/out/say.h"
#include "cli/record/beside.h"
#include "cli/record/changes.h"
#include "cli/record/collector_place.h"
#include "cli/record/late_images.h"
#include "cli/record/live.h"
#include "cli/record/log_place.h"
#include "cli/record/log_rotate.h"
#include "cli/record/log_space.h"
#include "cli/record/process_stat.h"
#include "cli/record/program_file.h"
#include "cli/record/record_attach.h"
#include "cli/record/record_faults.h"
#include "cli/record/record_filter.h"
#include "cli/record/record_libraries.h"
#include "cli/record/record_log.h"
#include "cli/record/record_options.h"
#include "cli/record/record_plugin.h"
#include "cli/record/record_signals.h"
#include "cli/record/record_values.h"
#include "cli/record/reference.h"
#include "cli/record/start_watch.h"

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

/* The libraries to preload. Returns 0, or 2 after saying which is missing. */
static int libraries_find(const struct record_options *options, char *paths, size_t size)
{
    const char *const names[] = {options->faults.library_calls ? "libfisql-calls.so" : NULL,
                                 options->locks != 0 ? "libfisql-locks.so" : NULL,
                                 options->faults.area != NULL ? "libfisql-faults.so"
                                 : options->values.wanted || options->values.system_calls
                                     ? "libfisql-values.so"
                                     : "libfisql.so"};
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        if (names[i] == NULL)
            continue;
        if (collector_find(names[i], path, sizeof path) != 0)
            return 2;
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

/* What has become of the program? A thread of ours that stops it for a moment is its tracer, and its
 * stops would come here, too. */
struct look {
    bool looked; /* else later */
    bool ended;
    int stopped; /* by this signal; 0 = it is not */
};

static struct look program_look(pid_t pid)
{
    siginfo_t child = {0};
    struct look look = {.looked = patching_may_wait()};
    if (!look.looked)
        return look;
    look.ended = waitid(P_PID, (id_t)pid, &child, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                 child.si_pid == pid && child.si_code != CLD_TRAPPED;
    child.si_pid = 0;
    if (!look.ended && waitid(P_PID, (id_t)pid, &child, WSTOPPED | WNOHANG) == 0 &&
        child.si_pid == pid && child.si_code == CLD_STOPPED)
        look.stopped = child.si_status;
    patching_waited();
    return look;
}

/* The log while it grows: we look so often at one that grew, and at one that did not. */
enum { LOOK_MS = 50, SLOW_LOOK_MS = 250 };

struct growth {
    struct log_place *place;
    struct log_space space;
    struct log_rotate rotate;
};

/* Returns after how many milliseconds to look again: `slow` if the log has not grown. */
static int growth_keep(struct growth *growth, int slow)
{
    if (log_rotate_look(&growth->rotate))
        log_space_begin(&growth->space, growth->place->log, growth->rotate.size_bytes);
    int wait_ms = log_space_keep(&growth->space) && slow > LOOK_MS ? LOOK_MS : slow;
    int rotate_ms = log_rotate_wait_ms(&growth->rotate);
    return rotate_ms < wait_ms ? rotate_ms : wait_ms;
}

/* Waits for the program's end. Returns its wait status; *cpu gets its processor time. */
static int program_wait(struct live_writer *writer, struct growth *growth, struct signals *signals,
                        uint64_t *cpu)
{
    struct log_place *place = growth->place;
    struct live *live = writer->live;
    struct rusage usage = {0};
    pid_t pid = signals->program;
    struct start_watch start = {0};
    int status = 0, timeout_ms = growth_keep(growth, LOOK_MS);
    for (;;) {
        signals_wait(signals, timeout_ms);
        const struct look look = program_look(pid);
        if (look.ended) {
            /* Before it is reaped and its pid can become another's. */
            signals_program_ended(signals);
            uint64_t key = live_process_key(live, pid);
            struct end end = end_of(pid);
            wait4(pid, &status, 0, &usage);
            *cpu = reference_cpu_ns(&usage);
            end_append(live, key, pid, status, &end);
            return status;
        }
        if (look.stopped != 0)
            signals_stop(signals, look.stopped);
        start_watch_look(&start, live, signals);
        live_writer_keep(writer);
        changes_append(live, false);
        if (log_place_keeps(place) && live_holds_events(live))
            log_place_recorded(place);
        timeout_ms = growth_keep(growth, log_place_keeps(place) ? LOOK_MS : SLOW_LOOK_MS);
        if (!look.looked)
            timeout_ms = 5;
    }
}

/* Waits for the processes that the program left behind, as long as they may record. Returns false
 * if the user ended the waiting. */
static bool others_wait(struct live_writer *writer, struct growth *growth, struct signals *signals,
                        bool quiet)
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
        int timeout_ms = growth_keep(growth, waited_ms < 2000 ? 20 : 100);
        signals_wait(signals, timeout_ms);
        waited_ms += waited_ms < 1000000 ? timeout_ms : 0;
        live_writer_keep(writer);
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

/* Runs the program, and writes its log. Returns 0, or 2 if it could not be run. */
static int run(struct live *live, struct log_place *place, const struct record_options *options,
               char **argv, struct recorded *recorded)
{
    struct signals *signals = &recorded->signals;
    struct beside beside;
    struct growth growth = {.place = place};
    uint64_t cpu = 0;
    if (log_rotate_begin(&growth.rotate, live, place, options) != 0)
        return 2;
    signals_begin(signals);
    signals->summary = options->summary.signal;
    beside_start(&beside, live, options, signals);
    record_log_begin(live, options, argv);
    changes_begin(live, options);
    live_reserve(live);
    log_space_begin(&growth.space, place->log, growth.rotate.size_bytes);
    signals->program = program_start(argv, signals, live);
    if (signals->program < 0) {
        int error = errno;
        beside_end(&beside);
        log_rotate_end(&growth.rotate);
        witness_end(&signals->witness);
        return fail("%s: cannot be run: %s", argv[0], strerror(error));
    }
    recorded->status = program_wait(&beside.writer, &growth, signals, &cpu);
    bool all = others_wait(&beside.writer, &growth, signals, options->quiet);
    beside_end(&beside);
    recorded->nothing = record_log_complete(live, place, &growth.space, &growth.rotate, options,
                                            &beside.late.summary, argv[0], all);
    if (!recorded->nothing)
        summary_end(&beside.summary);
    if (!recorded->nothing && !options->quiet)
        patch_summary_say(&beside.late.summary, options, argv[0]);
    if (!recorded->nothing && !options->quiet)
        budget_say(&beside.patching.budget);
    if (!recorded->nothing)
        incident_report_say(&beside.incidents, recorded->status);
    if (!all)
        say_left(live);
    if (!recorded->nothing)
        times_append(live, options, cpu, argv, recorded);
    log_rotate_end(&growth.rotate);
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
    if (log_place_make(&place, options->log, options->kept.logs) != 0)
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
    /* Compiled hooks would look for values at each call. */
    if (options->as_is == 0 || options->as_is == FISQL_AS_IS_GUEST)
        options->values.system_calls = false;
}

int record_program(struct record_options *options, char **program, struct recorded *recorded)
{
    char collector[2 * PATH_MAX + 64];
    *recorded = (struct recorded){.reference = {.input = -1}};
    const struct record_values *values = &options->values;
    as_is_choose(options, program[0]);
    if (options->libs.budget > 0 && options->as_is == FISQL_AS_IS_GUEST)
        note(
            "--budget: nothing will be left out of %s, which an emulator runs; --exclude can leave "
            "out functions",
            program[0]);
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
    if (status == ARGS_GO_ON && options.attach.pid != 0)
        status = record_attach(&options);
    else if (status == ARGS_GO_ON)
        status = record_program(&options, argv + first, &recorded) == 0
                     ? record_end_as(recorded.status)
                     : 2;
    record_options_release(&options);
    return status;
}
