/*
 * The last DIARY_MOMENTS moments of each object's diary (fisql.h), and separately its last
 * references, for the process itself. We map the table, of a fixed size and found by the object's
 * address, when the first moment comes. If an object finds no place in its part of the table, the
 * object there whose last moment is the oldest loses its place.
 *
 * Nothing here waits: any thread and any signal handler may write and read at any time. A moment
 * that another thread is writing is neither shown nor overwritten: there is one place more than we
 * show.
 */
#ifndef FISQL_COLLECTOR_DIARY_DIARY_TABLE_H
#define FISQL_COLLECTOR_DIARY_DIARY_TABLE_H

#include "collector/core/base.h"
#include "formats/log.h"

#include <stdbool.h>

#define DIARY_MOMENTS 8u
#define DIARY_FRAMES 23u /* of a moment: the innermost calls */
#define DIARY_OBJECTS 4096u

struct diary_frame {
    uint64_t function, site;
};

struct moment {
    uint64_t order; /* counted in the process, from 1 */
    uint64_t object;
    uint64_t tick;
    uint64_t from;  /* return address of the program's call */
    int64_t number; /* a count, or a state */
    uint32_t kind;  /* enum fisql_object_kind */
    uint32_t tid;
    uint32_t calls;      /* open then */
    uint32_t text_bytes; /* a state */
    char text[FISQL_OBJECT_TEXT_MAX + 1];
    struct diary_frame frames[DIARY_FRAMES]; /* the innermost first; at most `calls` */
};

/* Keeps the moment and sets its order. */
void diary_keep(struct moment *moment);

/* Copies an object's last moments, of both kinds, in their order. Returns their number. */
uint32_t diary_read(uint64_t object, struct moment moments[2 * DIARY_MOMENTS]);

/* How many objects lost their moments to others. */
uint64_t diary_lost(void);

/* Marks the object as gone, or not. */
void diary_gone(uint64_t object, bool gone);
/* Is it marked as gone? */
bool diary_is_gone(uint64_t object);

#endif
