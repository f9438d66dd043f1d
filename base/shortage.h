/*
 * Shortages of the machine. Some code goes on without what it cannot read, because the input may
 * lack it: without debug information, for example, a function has no line. If memory or descriptors
 * are short, that would be a wrong answer that looks like a good one. Code that cannot return an
 * error notes the shortage here, and the caller responsible for the whole asks before it calls the
 * work done.
 */
#ifndef FISQL_BASE_SHORTAGE_H
#define FISQL_BASE_SHORTAGE_H

/* Notes an errno value, such as ENOMEM, unless there is one already. From any thread. */
void shortage_note(int problem);

/* The first errno value noted; 0 = none. */
int shortage_noted(void);

/* Forgets it. Call it when new work begins. */
void shortage_forget(void);

#endif
