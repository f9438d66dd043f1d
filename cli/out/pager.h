/* Long output for people: through $PAGER where stdout is a terminal. */
#ifndef FISQL_CLI_OUT_PAGER_H
#define FISQL_CLI_OUT_PAGER_H

#include <stdbool.h>

/* Where stdout is a terminal, starts $PAGER (less, if it is not set; none if it is empty or cat)
 * and makes it stdout. Returns whether colour makes sense: stdout was a terminal and NO_COLOR is
 * not set. Its end is waited for at exit. */
bool pager_start(void);

#endif
