/* Ending what follows a program: see live_end.h. */
#include "cli/live/live_end.h"

volatile sig_atomic_t live_end_asked;

static void on_end(int number)
{
    (void)number;
    live_end_asked = 1;
}

void live_catch_end(void)
{
    struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
