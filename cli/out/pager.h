/* Long output for people goes through $PAGER if stdout is a terminal. */
#ifndef FISQL_CLI_OUT_PAGER_H
#define FISQL_CLI_OUT_PAGER_H

#include <stdbool.h>

/* If stdout is a terminal, starts $PAGER (less, if it is not set; none if it is empty or cat) and
 * makes it stdout; fisql waits for it at exit. Returns whether colour makes sense: stdout was a
 * terminal and NO_COLOR is not set. */
bool pager_start(void);

#endif
