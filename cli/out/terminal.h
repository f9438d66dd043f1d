/* The terminal that stdout is. */
#ifndef FISQL_CLI_OUT_TERMINAL_H
#define FISQL_CLI_OUT_TERMINAL_H

/* Its width in columns: $COLUMNS, else what the system says, else 80; 0 if stdout is no terminal.
 * Call it before pager_start(). */
int terminal_columns(void);

#endif
