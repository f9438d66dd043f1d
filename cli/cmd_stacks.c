/* fisql stacks: the calls that the threads of a running program are in. */
#include "cli/commands.h"
#include "cli/live/live_find.h"
#include "cli/live/live_stacks.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/say.h"

#include <stdlib.h>

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

static int parse(struct live_stacks_options *request, int argc, char **argv)
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

int cmd_stacks(int argc, char **argv)
{
    struct live_stacks_options request = {.style = NAMES_SHORT};
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
        status = live_stacks_show(&request, &runs.items[0]);
    live_runs_release(&runs);
    return status;
}
