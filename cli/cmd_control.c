/* fisql control: changes what is recorded of a program while it runs. */
#include "base/file_look.h"
#include "cli/commands.h"
#include "cli/live/live_find.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/say.h"
#include "cli/record/changes.h"
#include "cli/record/control_patch.h"
#include "cli/record/record_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: fisql control PID start | stop | dump | level N[,N] | depth N | only PATTERN... |\n"
    "       exclude PATTERN... | threads PATTERN...\n"
    "\n"
    "Changes what is recorded of a running program and of all processes of its run. PID is that of "
    "one\n"
    "of them, or of fisql record:\n"
    "\n"
    "  start, stop          switch recording on and off, as fisql_start() and fisql_stop() do\n"
    "  dump                 write what a flight recorder holds (fisql record --ring)\n"
    "  level N[,N]          the macros of fisql_trace.h record up to level N, from 0 to 5; a\n"
    "                       second number is the level of values\n"
    "  depth N              log N levels of calls and count deeper ones; 0 = log all\n"
    "  only PATTERN...      record only functions whose name or file matches, as record --only "
    "does;\n"
    "                       '*' = all functions\n"
    "  exclude PATTERN...   record all functions but those, as record --exclude does\n"
    "  threads PATTERN...   record only threads whose name or first recorded function matches, as\n"
    "                       record --threads does; '*' = all threads\n"
    "\n"
    "A thread looks for the change once in some hundred calls, and at every call while recording "
    "is\n"
    "off or the function is left out; a waiting thread looks when it goes on. With only, exclude "
    "and\n"
    "threads, open calls end in the recording, as at stop. The recording says when it was changed: "
    "fisql "
    "info\n"
    "and fisql query completeness show from when to when something was left out.\n"
    "\n"
    "In a program that is recorded as it is, start, stop, only and exclude change its code: what "
    "they\n"
    "leave out runs as without fisql. fisql record does so, and stops the program for some "
    "milliseconds.\n"
    "\n"
    "Only the program's user and root can do this.\n"
    "\n"
    "Exit status: 0 the change was requested, 2 it was not.\n"
    "\n"
    "example: fisql control $(pgrep app) stop\n";

struct request {
    pid_t pid;
    const char *word;
    char **values;
    int values_count;
};

/* ---- requests ---- */

static void raise_count(uint32_t *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
}

static int wants_none(const struct request *request)
{
    return request->values_count == 0
               ? 0
               : fail("control: %s has no value; see `fisql control --help`", request->word);
}

static int control_switch(const struct request *request, struct fisql_live_area *area)
{
    if (wants_none(request) != 0)
        return 2;
    __atomic_store_n(&area->recording, strcmp(request->word, "start") == 0, __ATOMIC_SEQ_CST);
    raise_count(&area->control.switches);
    return 0;
}

static int control_dump(const struct request *request, struct fisql_live_area *area)
{
    if (wants_none(request) != 0)
        return 2;
    if (area->ring_chunks == 0)
        return fail(
            "%d: it is not recorded with a flight recorder (fisql record --ring), so all is "
            "in the log already",
            (int)request->pid);
    raise_count(&area->control.dumps);
    return 0;
}

static int fail_level(void)
{
    return fail("control: level wants a number from 0 to 5, or two with a comma between them");
}

static int control_level(const struct request *request, struct fisql_live_area *area)
{
    int64_t functions = 0, values = 0;
    char first[24];
    char *comma = request->values_count == 1 ? strchr(request->values[0], ',') : NULL;
    if (request->values_count != 1)
        return fail_level();
    snprintf(first, sizeof first, "%.*s", (int)strcspn(request->values[0], ","),
             request->values[0]);
    if (!amount_count(first, &functions) || functions > (int64_t)FISQL_LEVEL_MAX ||
        !amount_count(comma != NULL ? comma + 1 : first, &values) ||
        values > (int64_t)FISQL_LEVEL_MAX)
        return fail_level();
    __atomic_store_n(&area->levels.functions, (uint8_t)functions, __ATOMIC_SEQ_CST);
    __atomic_store_n(&area->levels.values, (uint8_t)values, __ATOMIC_SEQ_CST);
    return 0;
}

static int control_depth(const struct request *request, struct fisql_live_area *area)
{
    int64_t depth = 0;
    if (request->values_count != 1 || !amount_count(request->values[0], &depth) || depth > 1000000)
        return fail("control: depth wants a number from 0 to 1000000");
    __atomic_store_n(&area->control.depth, (uint32_t)depth + 1, __ATOMIC_SEQ_CST);
    return 0;
}

/* A text for the processes: which of the two halves of a part holds it, and its size. */
struct put {
    const struct fisql_live_part *room;
    uint32_t *number, *bytes;
};

/* Puts the text where the processes find it, in the half that does not hold the last one. */
static int text_put_part(struct live_run *run, const struct put *put, const char *text,
                         size_t size_bytes)
{
    uint32_t number = *put->number + 1;
    uint64_t half = put->room->bytes / 2;
    if (half == 0)
        return fail("%s: there is no room for a filter: record the program with `fisql record`, "
                    "without a limit on the size of files",
                    run->name);
    if (size_bytes > half)
        return fail("%s: too many functions match: give fewer patterns", run->name);
    off_t offset = (off_t)(put->room->offset + (number % 2 != 0 ? half : 0));
    for (size_t done = 0; done < size_bytes;) {
        ssize_t written = pwrite(run->file, text + done, size_bytes - done, offset + (off_t)done);
        if (written <= 0)
            return fail("%s: %s", run->name, strerror(errno));
        done += (size_t)written;
    }
    *put->bytes = (uint32_t)size_bytes;
    __atomic_store_n(put->number, number, __ATOMIC_SEQ_CST);
    return 0;
}

static bool is_all(const struct request *request)
{
    return request->values_count == 1 && strcmp(request->values[0], "*") == 0;
}

/* Makes the text of functions, or of threads, of the modules that run. */
static int text_make(const struct request *request, struct live_run *run,
                     const struct fisql_live_area *area, bool threads, bool only, char **text,
                     size_t *size_bytes)
{
    char **paths = NULL;
    size_t count = 0;
    struct control_parts parts;
    control_parts_open(&parts, run->file, area);
    const struct record_running running = {
        .late = parts.late, .library_calls = parts.patching != NULL && parts.patching->with_calls};
    const struct record_patterns patterns = {.items = (const char **)request->values,
                                             .count = (size_t)request->values_count};
    int status = live_modules(run, &paths, &count);
    if (status == 0 && threads)
        status =
            record_threads_modules((const char *const *)paths, count, &patterns, text, size_bytes);
    else if (status == 0)
        status = record_filter_modules((const char *const *)paths, count, &running, &patterns, only,
                                       text, size_bytes);
    control_parts_close(&parts);
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    return status;
}

static int control_filter(const struct request *request, struct live_run *run,
                          struct fisql_live_area *area)
{
    char *text = NULL;
    size_t size_bytes = 0;
    bool only = strcmp(request->word, fisql_change_word(FISQL_CHANGE_ONLY)) == 0;
    const struct put put = {&area->parts.control, &area->control.only, &area->control.only_bytes};
    if (request->values_count == 0)
        return fail("control: %s wants a function's name or file; see `fisql control --help`",
                    request->word);
    int status = 0;
    if (only && is_all(request)) {
        text = strdup("exclude\n");
        size_bytes = text != NULL ? strlen(text) : 0;
    } else {
        status = text_make(request, run, area, false, only, &text, &size_bytes);
    }
    if (status == 0 && text == NULL)
        status = fail("control: out of memory");
    if (status == 0)
        status = text_put_part(run, &put, text, size_bytes);
    free(text);
    return status;
}

static int control_threads(const struct request *request, struct live_run *run,
                           struct fisql_live_area *area)
{
    char *text = NULL;
    size_t size_bytes = 0;
    const struct put put = {&area->parts.threads, &area->control.threads,
                            &area->control.threads_bytes};
    bool sound = request->values_count > 0;
    for (int i = 0; i < request->values_count; i++)
        sound &= request->values[i][0] != 0 && strchr(request->values[i], '\n') == NULL;
    if (!sound)
        return fail("control: threads wants the name of a thread, or of the function it begins "
                    "with; see `fisql control --help`");
    int status = 0;
    if (is_all(request)) {
        text = strdup("name *\n");
        size_bytes = text != NULL ? strlen(text) : 0;
    } else {
        status = text_make(request, run, area, true, true, &text, &size_bytes);
    }
    if (status == 0 && text == NULL)
        status = fail("control: out of memory");
    if (status == 0)
        status = text_put_part(run, &put, text, size_bytes);
    free(text);
    return status;
}

/* ---- the command ---- */

static int parse(struct request *request, int argc, char **argv)
{
    struct args args = {.command = "control", .help = help, .program_follows = true};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        ;
    if (args.status != ARGS_GO_ON)
        return args.status;
    if (args_words(&args) < 2)
        return fail(
            "control: wants the PID of a program and what to do; see `fisql control --help`");
    if (live_pid_parse(args_word(&args, ""), &request->pid) != 0)
        return 2;
    request->word = args_word(&args, "");
    request->values = argv + args.at;
    request->values_count = args_words(&args);
    return ARGS_GO_ON;
}

/* Leaves a mark for the log, before the processes see the change: what they write later has it. */
static void change_note(const struct request *request, const struct live_run *run,
                        const struct fisql_live_area *area)
{
    struct timespec now;
    struct fisql_change change = {.what = 0};
    const struct fisql_live_part *part = &area->control.marks;
    while (change.what < FISQL_CHANGE_MORE &&
           strcmp(request->word, fisql_change_word(change.what)) != 0)
        change.what++;
    if (change.what == FISQL_CHANGE_MORE || part->bytes != sizeof(struct fisql_changes) ||
        part->offset % 65536 != 0 || part->offset > INT64_MAX / 2)
        return; /* a dump changes nothing */
    clock_gettime(CLOCK_MONOTONIC, &now);
    change.ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    changes_detail(&change, (const char *const *)request->values, (size_t)request->values_count);
    struct fisql_changes *changes = mmap(NULL, sizeof *changes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                         run->file, (off_t)part->offset);
    if (changes == MAP_FAILED)
        return;
    fisql_change_note(changes, FISQL_CHANGES_MAX, &change);
    munmap(changes, sizeof *changes);
}

/* Sends each thread into its slow path, where it looks for orders: until its chunk's end it need not
 * look by itself (--time none). */
static void threads_poke(struct live_run *run)
{
    struct error error;
    if (live_source_refresh(&run->source, &error) != 0)
        return; /* they look when their chunks end */
    for (uint32_t slot = 0; slot < run->source.slots; slot++) {
        if (!live_source_taken(&run->source, slot))
            continue;
        struct fisql_live_slot *head = mmap(NULL, FISQL_SLOT_HEADER, PROT_READ | PROT_WRITE,
                                            MAP_SHARED, run->file, (off_t)live_source_offset(slot));
        if (head == MAP_FAILED)
            continue;
        __atomic_store_n(&head->units_max, 0, __ATOMIC_SEQ_CST);
        munmap(head, FISQL_SLOT_HEADER);
    }
}

/* May functions have to be patched, or unpatched? */
static bool patches(const struct request *request)
{
    static const char *const words[] = {"start", "stop", "only", "exclude"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(request->word, words[i]) == 0)
            return true;
    return false;
}

static int control(const struct request *request, struct live_run *run,
                   struct fisql_live_area *area)
{
    static const char *const words[] = {"start", "stop", "dump",    "level",
                                        "depth", "only", "exclude", "threads"};
    int status;
    if (strcmp(request->word, "start") == 0 || strcmp(request->word, "stop") == 0)
        status = control_switch(request, area);
    else if (strcmp(request->word, "dump") == 0)
        status = control_dump(request, area);
    else if (strcmp(request->word, "level") == 0)
        status = control_level(request, area);
    else if (strcmp(request->word, "depth") == 0)
        status = control_depth(request, area);
    else if (strcmp(request->word, "only") == 0 || strcmp(request->word, "exclude") == 0)
        status = control_filter(request, run, area);
    else if (strcmp(request->word, "threads") == 0)
        status = control_threads(request, run, area);
    else
        return fail_nearest("control: no such thing to do", request->word, words,
                            sizeof words / sizeof words[0]);
    if (status == 0)
        change_note(request, run, area);
    if (status == 0) {
        raise_count(&area->control.changes);
        threads_poke(run);
    }
    if (status == 0 && patches(request))
        control_patch(run->file, area);
    return status;
}

/* The program can shorten the area's file while we write to it, unless the file is sealed. */
static void on_cut(int number)
{
    (void)number;
    static const char words[] =
        "fisql: control: the live area was cut off: its program has ended, or "
        "changed the file\n";
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0)
        _exit(2); /* nobody reads our stderr */
    _exit(2);
}

/* Maps the head of the run's area for writing; NULL with errno. */
static struct fisql_live_area *area_map(struct live_run *run)
{
    struct sigaction action = {.sa_handler = on_cut};
    int file = file_look_open(run->file, O_RDWR);
    if (file < 0)
        return NULL;
    close(run->file);
    run->file = run->source.file = file;
    sigaction(SIGBUS, &action, NULL);
    void *area = mmap(NULL, FISQL_LIVE_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return area != MAP_FAILED ? area : NULL;
}

int cmd_control(int argc, char **argv)
{
    struct request request;
    struct live_runs runs;
    int status = parse(&request, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    status = live_runs_find(&runs, request.pid, true);
    if (status == 0) {
        struct live_run *run = &runs.items[0];
        struct fisql_live_area *area = area_map(run);
        status = area == NULL ? fail("%s: %s", run->name, strerror(errno))
                              : control(&request, run, area);
        if (area != NULL)
            munmap(area, FISQL_LIVE_HEADER);
    }
    live_runs_release(&runs);
    return status;
}
