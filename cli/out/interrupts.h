/* Signals that would end fisql in the middle of its work first remove what it was making. A write
 * beyond the limit on the size of files fails (EFBIG) instead of ending fisql. */
#ifndef FISQL_CLI_OUT_INTERRUPTS_H
#define FISQL_CLI_OUT_INTERRUPTS_H

/* Ignores SIGXFSZ; for the start of fisql. */
void interrupts_begin(void);

/* Restores SIGXFSZ; in a child, before it becomes another program. */
void interrupts_child(void);

/* Lets signals that end fisql remove the unfinished file; before one is made
 * (base/unfinished.h). */
void interrupts_remove_unfinished(void);

#endif
