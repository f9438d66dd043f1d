/*
 * Shortages of the machine. Some code goes on without what it cannot read, because the input may lack it: without
 * debug information, for example, a function is shown without its name or line. If memory or descriptors are short,
 * that would be a wrong answer that looks like a good one. So code that cannot return an error notes the shortage
 * here, and the caller that is responsible for the whole asks for it before it calls the work done.
 */
#ifndef FISQL_BASE_SHORTAGE_H
#define FISQL_BASE_SHORTAGE_H

/* Notes an errno value, such as ENOMEM, unless one was noted before. From any thread. */
void shortage_note(int problem);

/* The errno value that was noted first; 0 = none. */
int shortage_noted(void);

/* Forgets it, when new work begins. */
void shortage_forget(void);

#endif
