/* A program that hangs in the start of its recording: see start_watch.h. */
#include "cli/record/start_watch.h"

#include "base/must.h"
#include "cli/out/say.h"
#include "cli/record/process_stat.h"

#include <signal.h>
#include <time.h>

/* The start takes milliseconds. */
#define PATIENCE_MS 3000u

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

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
        watch->since_ms = 0;
        return;
    }
    if (watch->since_ms == 0)
        watch->since_ms = now_ms();
    if (now_ms() - watch->since_ms < PATIENCE_MS)
        return;
    watch->killed = true;
    note("the program was ended by SIGKILL: it hung in the start of its recording, where other "
         "signals do not reach it; try again without what else it preloads (LD_PRELOAD)");
    kill(signals->program, SIGKILL);
}
