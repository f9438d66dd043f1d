/*
 * What the process keeps of its objects' diaries (fisql.h): the last DIARY_MOMENTS moments of each object, and
 * apart from these its last references. A table of a fixed size, found by the object's address, that is mapped when
 * the first moment is kept. Where an object finds no place in its part of the table, the object there whose last
 * moment is the oldest loses its own.
 *
 * Nothing here waits: any thread and any signal handler may write and read at any time. A moment that another thread
 * is writing is not shown, and not overwritten; there is a place for one beside those that are read.
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
    uint64_t order; /* in the process, from 1 */
    uint64_t object;
    uint64_t tick;
    uint64_t from;  /* the address that the program said it from */
    int64_t number; /* a count, or a state */
    uint32_t kind;  /* enum fisql_object_kind */
    uint32_t tid;
    uint32_t calls;      /* open then */
    uint32_t text_bytes; /* a state */
    char text[FISQL_OBJECT_TEXT_MAX + 1];
    struct diary_frame frames[DIARY_FRAMES]; /* the innermost first; as many as there were calls */
};

/* Keeps it; sets its order. */
void diary_keep(struct moment *moment);

/* Copies the last moments of an object, of both kinds, in their order. Returns how many. */
uint32_t diary_read(uint64_t object, struct moment moments[2 * DIARY_MOMENTS]);

/* How many objects lost their moments to others so far. */
uint64_t diary_lost(void);

/* Marks that the object is gone, or not. */
void diary_gone(uint64_t object, bool gone);
/* Is it marked so? */
bool diary_is_gone(uint64_t object);

#endif
