/*
 * Signals that would end fisql in the middle of its work: what it was making is removed first, and
 * the limit on the size of files is an error of the write that meets it (EFBIG), not an end.
 */
#ifndef FISQL_CLI_OUT_INTERRUPTS_H
#define FISQL_CLI_OUT_INTERRUPTS_H

/* At the start of fisql: SIGXFSZ is ignored. */
void interrupts_begin(void);

/* In a child, before it becomes another program: SIGXFSZ is as it was. */
void interrupts_child(void);

/* Before a file is made (base/unfinished.h): signals that end fisql remove it. */
void interrupts_remove_unfinished(void);

#endif
