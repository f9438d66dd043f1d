/* The end of what follows a running program, by SIGINT or SIGTERM. */
#ifndef FISQL_CLI_LIVE_LIVE_END_H
#define FISQL_CLI_LIVE_LIVE_END_H

#include <signal.h>

extern volatile sig_atomic_t live_end_asked;

/* Catches the first signal, which sets live_end_asked. A second one ends us, even if nobody reads our
 * output. */
void live_catch_end(void);

#endif
