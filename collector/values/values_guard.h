/*
 * Notices that the program guards memory that values_read.c reads directly, or fills pages itself
 * when they are touched. It stands in front of the functions of the C library that do so; system
 * calls by number come through syscall() (fork.c). Nobody sees a system call that the program makes
 * by an instruction of its own.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_GUARD_H
#define FISQL_COLLECTOR_VALUES_VALUES_GUARD_H

void guard_setup(void);
/* Call it before each system call of the program. */
void guard_called(long number, const long argument[6]);

#endif
