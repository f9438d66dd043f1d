/*
 * Where the machine ran short. Some code goes on without what it cannot read, for the input may lack it: debug
 * information, above all, where a function is then shown without its name or line. For want of memory or of
 * descriptors that would be a wrong answer under the name of a good one. So code that cannot return an error
 * notes the shortage here, and what is responsible for the whole asks for it before it calls the work done.
 */
#ifndef FISQL_BASE_SHORTAGE_H
#define FISQL_BASE_SHORTAGE_H

/* Notes an errno value, such as ENOMEM, unless one was noted before. From any thread. */
void shortage_note(int problem);

/* The errno value that was noted first; 0 = none. */
int shortage_noted(void);

/* Forgets it, where something new begins. */
void shortage_forget(void);

#endif
