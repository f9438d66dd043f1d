/* fisql stacks: the calls that the threads of a running program are in. */
#include "cli/commands.h"
#include "cli/live/live_find.h"
#include "cli/live/live_show.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: fisql stacks [OPTION...] [PID]\n"
    "\n"
    "Prints the stacks of all threads of a program that is being recorded. PID is the program's "
    "or\n"
    "its recorder's; without it, the only recorded program is asked. A stack begins with the call\n"
    "that the thread is in, then comes its caller, and so on, with the time since each was "
    "entered.\n"
    "Threads with the same stack are shown once. The program runs on and does not notice.\n"
    "\n"
    "With `fisql record --locks` it says which locks a thread holds, with the stacks in which it "
    "took\n"
    "them, which lock it waits for, and which thread holds that. If threads wait for each other in "
    "a\n"
    "circle, a deadlock, it says that first. Without --locks it looks from outside, if the kernel "
    "lets it,\n"
    "and finds deadlocks of mutexes and of other locks that say who holds them.\n"
    "\n"
    "      --last N             also the last N calls of each thread that are not yet in the log\n"
    "      --each               each thread by itself\n"
    "      --all                all calls of a deep stack (default: the first and last 100)\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "Only the program's user and root can ask it.\n"
    "\n"
    "Exit status: 0 done, 1 done and there is a deadlock, 2 not done.\n"
    "\n"
    "example: fisql stacks $(pgrep app)\n";

#define LAST_MAX 100000
#define LOOK_AGAIN_NS 20000000

struct request {
    pid_t pid;
    enum name_style style;
    bool each, all;
    size_t last_max;
};

static int parse(struct request *request, int argc, char **argv)
{
    enum { LAST = 256, EACH, ALL, DEMANGLE };
    static const struct args_option known[] = {{"last", LAST, true},
                                               {"each", EACH, false},
                                               {"all", ALL, false},
                                               {"demangle", DEMANGLE, true},
                                               {NULL, 0, false}};
    struct args args = {.command = "stacks", .help = help, .options = known};
    int64_t number = 0;
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        switch (args.code) {
        case LAST:
            if (!amount_count(args.value, &number) || number == 0 || number > LAST_MAX)
                return args_wrong(&args, "a number from 1 to 100000");
            request->last_max = (size_t)number;
            request->each = true;
            break;
        case EACH:
            request->each = true;
            break;
        case ALL:
            request->all = true;
            break;
        case DEMANGLE:
            if (!name_style_parse(args.value, &request->style))
                return args_wrong(&args, "short, full or no");
            break;
        }
    }
    if (args.status != ARGS_GO_ON)
        return args.status;
    if (args_words(&args) > 0 && live_pid_parse(args_word(&args, ""), &request->pid) != 0)
        return 2;
    return args_end(&args);
}

/* Shows the circles that still exist at a second look. Returns how many. */
static size_t show_circles(const struct live_show *show)
{
    const struct timespec again = {0, LOOK_AGAIN_NS};
    size_t count = show->threads->count, found = 0;
    size_t *members = malloc((count + 1) * sizeof *members);
    for (size_t i = 0; members != NULL && i < count; i++) {
        size_t circle = live_waits_circle(show->waits, i, members, count);
        if (circle == 0)
            continue;
        nanosleep(&again, NULL);
        bool lasts = true;
        for (size_t k = 0; k < circle && lasts; k++)
            lasts = live_wait_lasts(&show->waits->items[members[k]],
                                    &show->threads->items[members[k]], show->source);
        if (lasts)
            live_show_circle(show, members, circle);
        for (size_t k = 0; k < circle && lasts; k++)
            show->waits->items[members[k]].circle = true;
        found += lasts;
    }
    free(members);
    return found;
}

static int show_process(const struct request *request, struct live_run *run, uint32_t pid,
                        uint64_t process_key, struct live_points *points)
{
    char cache[PATH_MAX], command[4096];
    const struct symbols_options symbols = {.cache_dir = cache_folder(cache, sizeof cache)};
    const struct live_options options = {pid, process_key, request->last_max};
    struct live_threads threads = {0};
    struct live_waits waits = {0};
    struct live_names *names = NULL;
    struct error error;
    int status = 0;
    if (live_source_refresh(&run->source, &error) != 0 ||
        live_threads_read(&threads, &run->source, &options, false, &error) != 0 ||
        live_waits_read(&waits, &threads, &run->source, &error) != 0)
        status = fail("%s", error.text);
    struct live_clock clock = live_clock_now(&run->source.area);
    if (status == 0 && live_names_open(&names, pid, &symbols, &error) != 0)
        note("%s: functions show as addresses", error.text);
    if (names != NULL)
        live_names_use_points(names, points, process_key);
    if (status == 0) {
        live_command((pid_t)pid, command, sizeof command);
        text_put(stdout, command);
        printf(" (PID %u), %zu thread%s\n\n", pid, threads.count, threads.count == 1 ? "" : "s");
        const struct live_show show = {.source = &run->source,
                                       .threads = &threads,
                                       .waits = &waits,
                                       .names = names,
                                       .clock = clock,
                                       .style = request->style,
                                       .each = request->each,
                                       .all = request->all};
        if (waits.denied && threads.count > 1)
            note("PID %u: it records no locks, and the kernel does not let us look into it for "
                 "those "
                 "that it waits for: root can, or record it with --locks",
                 pid);
        status = show_circles(&show) > 0;
        int shown = live_show_threads(&show);
        status = shown != 0 ? shown : status;
    }
    live_names_close(names);
    live_waits_release(&waits);
    live_threads_release(&threads);
    return status;
}

/* All processes of the run, or the one that is asked for. */
static int show_run(const struct request *request, struct live_run *run)
{
    struct live_images images;
    struct error error;
    int worst = 0;
    if (live_images_read(&images, &run->source, &error) != 0)
        return fail("%s", error.text);
    char log[32]; /* the open file's: its name may lead elsewhere by now */
    snprintf(log, sizeof log, "/proc/self/fd/%d", run->log_file);
    struct live_points *points =
        live_points_open(run->log_file >= 0 ? log : NULL, run->source.area.run_id);
    size_t shown = 0;
    for (size_t i = 0; i < images.count; i++) {
        if (request->pid != 0 && request->pid != run->recorder &&
            images.items[i].pid != (uint32_t)request->pid)
            continue;
        int status =
            show_process(request, run, images.items[i].pid, images.items[i].process_key, points);
        worst = status > worst ? status : worst;
        shown++;
    }
    live_points_close(points);
    free(images.items);
    if (shown == 0)
        return fail("%d: it has not called a recorded function yet", (int)request->pid);
    return worst;
}

int cmd_stacks(int argc, char **argv)
{
    struct request request = {.style = NAMES_SHORT};
    struct live_runs runs;
    int status = parse(&request, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    status = live_runs_find(&runs, request.pid, true);
    if (status == 0 && runs.count == 0)
        status = fail("stacks: no program is being recorded; start one with `fisql record`");
    if (status == 0 && runs.count > 1) {
        status = fail("stacks: %zu programs are being recorded: give the PID of one", runs.count);
        live_runs_say(&runs);
    }
    if (status == 0)
        status = show_run(&request, &runs.items[0]);
    live_runs_release(&runs);
    return status;
}
