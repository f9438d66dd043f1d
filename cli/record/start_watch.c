/* A program that hangs in the start of its recording: see start_watch.h. */
#include "cli/record/start_watch.h"

#include "base/must.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "cli/record/process_stat.h"

#include <signal.h>

/* The start takes milliseconds. */
#define PATIENCE_NS 3000000000

/* Without us, too, a program would not end that ignores the signal or is stopped. */
static bool hangs(const struct live *live, const struct signals *signals)
{
    struct process_signals program;
    if (signals->ends_asked == 0 ||
        __atomic_load_n(&live->area->start.inside, __ATOMIC_ACQUIRE) == 0)
        return false;
    process_signals_read(signals->program, &program);
    return (signals->ends_asked & program.pending & ~program.ignored) != 0 && !program.stopped;
}

void start_watch_look(struct start_watch *watch, const struct live *live,
                      const struct signals *signals)
{
    must(signals->program > 0);
    if (watch->killed)
        return;
    if (!hangs(live, signals)) {
        watch->since_ns = 0;
        return;
    }
    if (watch->since_ns == 0)
        watch->since_ns = clock_ns();
    if (clock_ns() - watch->since_ns < PATIENCE_NS)
        return;
    watch->killed = true;
    note("the program was ended by SIGKILL: it hung in the start of its recording, where other "
         "signals do not reach it; try again without what else it preloads (LD_PRELOAD)");
    kill(signals->program, SIGKILL);
}
