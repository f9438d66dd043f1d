/* Signals that would end fisql: see interrupts.h. */
#include "cli/out/interrupts.h"
#include "base/unfinished.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static struct sigaction file_size_before;
static bool begun;

void interrupts_begin(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    begun = sigaction(SIGXFSZ, &ignore, &file_size_before) == 0;
}

void interrupts_child(void)
{
    if (begun)
        sigaction(SIGXFSZ, &file_size_before, NULL);
}

/* SA_RESETHAND has removed this handler: raised again, the signal does what it would have done. */
static void on_end(int number)
{
    unfinished_remove_all();
    raise(number);
}

void interrupts_remove_unfinished(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM};
    struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, before;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ends[i], &action, NULL);
    }
}
