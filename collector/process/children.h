/*
 * What an image that this process execs needs in order to be recorded, and what becomes of one that
 * cannot be.
 *
 * It needs the collector (LD_PRELOAD) and the variables FISQL_LOG, FISQL_LIVE and FISQL_OPTIONS.
 * They are added where the program does not pass them on. Where the collector cannot be loaded, its
 * entry is taken out of LD_PRELOAD, for the dynamic linker would complain or fail. Where the
 * process has come to a user or a root folder from which log and live area cannot be opened, it
 * passes on the descriptors that it has of them (FISQL_HANDED: their numbers). An image that holds
 * hooks but cannot be recorded is counted, so that it is told.
 *
 * All of this may run in a signal handler and in the child of a vfork.
 */
#ifndef FISQL_COLLECTOR_PROCESS_CHILDREN_H
#define FISQL_COLLECTOR_PROCESS_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>

/* Remembers how this process was launched, when it has been decided whether it is recorded. */
void children_setup(void);

/* Before this process changes its user or root folder: opens what could not be opened later. */
void children_keep(void);
/* Takes over what the image before has handed on. At start, before log and live area are opened. */
void children_take(void);

struct child {
    bool plain;    /* nothing is to be changed */
    bool preload;  /* the collector's entry must be in LD_PRELOAD; else it must not */
    bool asan;     /* ASAN_OPTIONS must not ask for libasan.so to come first */
    int why;       /* it is counted as not recorded: enum fisql_unrecorded; -1 = it is not */
    int log, live; /* descriptors handed on, -1 = none */
    char name[64];
};

/* Says what a program needs, given by path from a folder or (path empty) by an open descriptor, and
 * the environment that is meant for it. Counts it if it cannot be recorded. */
void child_prepare(struct child *child, int folder, const char *path, char *const *environment);

/* Bytes of memory that child_environment() needs; 0 = the environment stays as it is. */
size_t child_environment_bytes(const struct child *child, char *const *environment);
char **child_environment(const struct child *child, char *const *environment, void *memory);

/* After the exec failed (`started` false), or a process was started. Keeps errno. */
void child_release(struct child *child, bool started);

#endif
