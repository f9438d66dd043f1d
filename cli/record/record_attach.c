/* See record_attach.h. The collector is brought in by attach.h; all else is as for a program that we
 * start. */
#include "cli/record/record_attach.h"

#include "cli/out/say.h"
#include "cli/record/attach.h"
#include "cli/record/beside.h"
#include "cli/record/changes.h"
#include "cli/record/collector_place.h"
#include "cli/record/live.h"
#include "cli/record/log_place.h"
#include "cli/record/log_space.h"
#include "cli/record/record_filter.h"
#include "cli/record/record_log.h"
#include "cli/record/record_signals.h"
#include "cli/record/record_values.h"
#include "cli/record/stopped.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)

#define ANSWERS_MS 60000u /* planning a large program takes seconds */
#define CLOSE_MS 2000u

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One recording. */
struct recording {
    struct record_options *options;
    struct attach attach;
    struct live live;
    struct log_place place;
    struct log_space space;
    struct signals signals;
    struct beside beside;
    int process; /* a descriptor that says when it has ended */
};

static bool has_ended(const struct recording *recording)
{
    struct pollfd ended = {.fd = recording->process, .events = POLLIN};
    return poll(&ended, 1, 0) > 0;
}

/* Looks after log and signals for a moment. */
static void keep(struct recording *recording, int timeout_ms)
{
    signals_wait(&recording->signals, timeout_ms);
    live_writer_keep(&recording->beside.writer);
    changes_append(&recording->live, false);
    log_space_keep(&recording->space);
    if (log_place_keeps(&recording->place) && live_holds_events(&recording->live))
        log_place_recorded(&recording->place);
}

/* Are the questions about the process's modules answered? */
static bool is_answered(const struct fisql_late *late)
{
    for (uint32_t i = 0; i < FISQL_LATE_MAX; i++) {
        uint32_t state = __atomic_load_n(&late->modules[i].state, __ATOMIC_ACQUIRE);
        if (state == FISQL_LATE_WRITING || state == FISQL_LATE_ASKED)
            return false;
    }
    return true;
}

static void answers_wait(struct recording *recording)
{
    struct fisql_late *late = recording->beside.late.mailbox.part;
    uint64_t end_ns = now_ns() + (uint64_t)ANSWERS_MS * 1000000;
    while (late != NULL && !is_answered(late) && now_ns() < end_ns && !has_ended(recording) &&
           recording->signals.end_asked == 0)
        keep(recording, 5);
}

/* A description of our file that is the process's alone: locks and flags belong to it. */
static int reopen(int file, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, flags | O_CLOEXEC);
}

static int begin(struct recording *recording, const char *library, struct error *error)
{
    struct fisql_attach_orders *orders = calloc(1, sizeof *orders);
    struct attach_orders with = {.library = library,
                                 .live = reopen(recording->live.memory, O_RDWR),
                                 .log = reopen(recording->place.log, O_RDWR | O_APPEND),
                                 .orders = orders};
    int status = -1;
    if (orders == NULL || with.live < 0 || with.log < 0) {
        error_set(error, "the log cannot be opened again: %s", strerror(errno));
    } else if (realpath(recording->options->log, orders->log_path) == NULL) {
        error_set(error, "%s: %s", recording->options->log, strerror(errno));
    } else {
        record_options_text(recording->options, orders->options, sizeof orders->options);
        status = attach_begin(&recording->attach, &with, error);
    }
    if (with.live >= 0)
        close(with.live);
    if (with.log >= 0)
        close(with.log);
    free(orders);
    return status;
}

/* Records until something ends it. */
static void record(struct recording *recording)
{
    const struct record_options *options = recording->options;
    uint64_t end_ns = options->attach.for_ns != 0 ? now_ns() + options->attach.for_ns : UINT64_MAX;
    pid_t pid = recording->attach.target.pid;
    long seccomp = stopped_status(pid, "Seccomp");
    while (recording->signals.end_asked == 0 && !has_ended(recording)) {
        uint64_t now = now_ns();
        if (now >= end_ns)
            break;
        if (stopped_status(pid, "Seccomp") > seccomp) {
            note("%s: it begins to forbid itself system calls (seccomp): recording ends",
                 recording->attach.target.name);
            break;
        }
        uint64_t left_ms = (end_ns - now + 999999) / 1000000;
        keep(recording, left_ms < 100 ? (int)left_ms : 100);
    }
}

/* Waits until nobody has the live area. Children that run another program have left it. */
static bool close_area(struct recording *recording)
{
    uint64_t end_ns = now_ns() + (uint64_t)CLOSE_MS * 1000000;
    while (!live_close(&recording->live)) {
        if (now_ns() >= end_ns)
            return false;
        keep(recording, 5);
    }
    return true;
}

/* Brings the collector in, records, takes it out. 0, 1 if it had to stay, 2 after saying why not. */
static int attached_run(struct recording *recording, const char *library)
{
    struct attach *attach = &recording->attach;
    struct error error;
    const char *name = attach->target.name;
    if (begin(recording, library, &error) != 0)
        return fail("%s", error.text);
    answers_wait(recording);
    int status = attach_patch(attach, &error) == 0 ? 0 : 2;
    bool ended = has_ended(recording);
    if (status != 0 && !ended)
        fail("%s", error.text);
    if (status == 0 && !recording->options->quiet)
        note("%s: recording %llu functions%s", name, (unsigned long long)attach->patched,
             recording->options->attach.for_ns == 0 ? "; Ctrl-C ends it" : "");
    if (status == 0) {
        beside_patching_start(&recording->beside, &recording->live, recording->options,
                              &attach->left_alone);
        record(recording);
        beside_patching_end(&recording->beside);
    }
    ended = has_ended(recording);
    int left = attach_leave(attach, &error);
    if (left != 0 && !ended)
        fail("%s", error.text);
    if (status == 0 && ended && !recording->options->quiet)
        note("%s: it has ended", name);
    return ended ? 0 : status != 0 ? 2 : left != 0 ? 1 : 0;
}

/* The words that it was started with, for the log. */
static char **words_of(pid_t pid, char *text, size_t size, char **words, size_t count)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : -1;
    if (file >= 0)
        close(file);
    size_t used = 0;
    for (ssize_t at = 0; at < length && used + 1 < count; at += (ssize_t)strlen(text + at) + 1) {
        text[length] = 0;
        words[used++] = text + at;
    }
    words[used] = NULL;
    return words;
}

static int run(struct recording *recording, const char *library)
{
    static char text[16384], *words[1024];
    const struct record_options *options = recording->options;
    struct live *live = &recording->live;
    pid_t pid = recording->attach.target.pid;
    signals_begin(&recording->signals);
    recording->signals.summary = options->summary.signal;
    beside_start(&recording->beside, live, options, &recording->signals);
    record_log_begin(live, options, words_of(pid, text, sizeof text, words, 1024));
    changes_begin(live, options);
    live_reserve(live);
    log_space_begin(&recording->space, recording->place.log, 0);
    int status = attached_run(recording, library);
    bool all = close_area(recording);
    beside_end(&recording->beside);
    witness_end(&recording->signals.witness);
    if (status == 2)
        return 2;
    const char *program = recording->attach.target.program;
    struct log_rotate none = {.live = live, .place = &recording->place};
    bool nothing = record_log_complete(live, &recording->place, &recording->space, &none, options,
                                       &recording->beside.late.summary, program, all);
    if (!nothing) {
        summary_end(&recording->beside.summary);
        if (!options->quiet)
            patch_summary_say(&recording->beside.late.summary, options, program);
    }
    return status;
}

int record_attach(struct record_options *options)
{
    struct recording recording = {.options = options, .live.memory = -1, .attach.memory = -1};
    struct attach_target *target = &recording.attach.target;
    struct error error;
    char library[PATH_MAX], program[1024];
    if (attach_target_look(target, options->attach.pid, &error) != 0)
        return fail("%s", error.text);
    if (target->musl && options->values.wanted)
        return fail("-p: %s: its C library is musl: no values are recorded there; leave out "
                    "--values, or run it by `fisql record --values PROGRAM`",
                    target->name);
    if (collector_find(target->musl             ? "libfisql-late.so"
                       : options->values.wanted ? "libfisql-values.so"
                                                : "libfisql.so",
                       library, sizeof library) != 0)
        return 2;
    if (target->root[0] != 0 && (options->patterns.count > 0 || options->values.wanted))
        return fail(
            "-p: --only, --exclude and --values find no functions in another mount namespace "
            "or root folder; leave them out");
    snprintf(program, sizeof program, "%s%s", target->root, target->program);
    if (record_filter_make(options, program) != 0 || record_values_make(options, program) != 0 ||
        log_place_make(&recording.place, options->log, 0) != 0)
        return 2;
    options->attach.root = target->root;
    recording.process = (int)syscall(SYS_pidfd_open, target->pid, 0);
    int status;
    if (recording.process < 0)
        status = fail("%s: %s", target->name, strerror(errno));
    else if (live_make(&recording.live, recording.place.log, options) != 0)
        status = fail("the live area cannot be made: %s", strerror(errno));
    else
        status = run(&recording, library);
    if (status == 2)
        log_place_remove(&recording.place);
    attach_release(&recording.attach);
    live_release(&recording.live);
    close(recording.place.log);
    if (recording.process >= 0)
        close(recording.process);
    return status;
}

#else

int record_attach(struct record_options *options)
{
    return fail("%d: fisql attaches to programs on x86-64 alone", (int)options->attach.pid);
}

#endif
