/*
 * What an image that this process execs needs to be recorded, and what happens if it cannot be.
 *
 * It needs the collector (LD_PRELOAD) and the variables FISQL_LOG, FISQL_LIVE and FISQL_OPTIONS. We
 * add them if the program does not pass them on. If the image cannot load the collector, we remove
 * it from LD_PRELOAD, because the dynamic linker would complain or fail. If the process has changed
 * its user or root folder and log and live area cannot be opened any more, it passes its
 * descriptors of them on (FISQL_HANDED: their numbers). We count an image that holds hooks but
 * cannot be recorded, so that `fisql record` can report it.
 *
 * All of this may run in a signal handler and in the child of a vfork.
 */
#ifndef FISQL_COLLECTOR_PROCESS_CHILDREN_H
#define FISQL_COLLECTOR_PROCESS_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>

/* Remembers how this process was launched; call it once we know whether it is recorded. */
void children_setup(void);

/* Before this process changes its user or root folder: opens what it could not open later. */
void children_keep(void);
/* Takes over what the previous image handed on, before log and live area are opened. */
void children_take(void);

struct child {
    bool plain;    /* change nothing */
    bool preload;  /* the collector must be in LD_PRELOAD; else it must not */
    bool asan;     /* ASAN_OPTIONS must not ask for libasan.so to come first */
    int why;       /* why it counts as not recorded: enum fisql_unrecorded; -1 = it does not */
    int log, live; /* descriptors to pass on, -1 = none */
    char name[64];
};

/* Finds what a program needs, given by path from a folder or (path empty) by an open descriptor,
 * and its environment. Counts it if it cannot be recorded. */
void child_prepare(struct child *child, int folder, const char *path, char *const *environment);

/* Bytes that child_environment() needs; 0 = the environment stays as it is. */
size_t child_environment_bytes(const struct child *child, char *const *environment);
char **child_environment(const struct child *child, char *const *environment, void *memory);

/* Call it when the exec failed (`started` false) or a process was started. Keeps errno. */
void child_release(struct child *child, bool started);

#endif
