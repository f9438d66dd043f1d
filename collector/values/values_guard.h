/*
 * Notices that the program guards memory which would be read directly (values_read.h), or fills pages itself when they are
 * touched. It stands in front of the functions of the C library by which a program can; system calls by number come
 * through syscall() (fork.c). What a program does by an instruction of its own nobody sees.
 */
#ifndef FISQL_COLLECTOR_VALUES_VALUES_GUARD_H
#define FISQL_COLLECTOR_VALUES_VALUES_GUARD_H

void guard_setup(void);
/* The program is about to make a system call. */
void guard_called(long number, const long argument[6]);

#endif
