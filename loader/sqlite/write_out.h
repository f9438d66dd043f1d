/*
 * Bringing a file that is being written to the disk meanwhile, by a thread of its own: the kernel would wait for
 * half a minute, and who syncs the file then for the disk.
 *
 * Where memory is dear, what has reached the disk is dropped from the page cache, but for what was written last: the
 * kernel then takes the same pages again and again. Where the machine has free pages, to fill one of 4 KiB
 * costs 1 us (a Zen 5), and the file stays in memory for those who read it next. A virtual machine that lends free
 * memory to its host gets each page back by a fault there: 11 to 14 us, measured on one whose disk gives a page in 4.
 * So who writes says what it cost.
 */
#ifndef FISQL_LOADER_SQLITE_WRITE_OUT_H
#define FISQL_LOADER_SQLITE_WRITE_OUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct write_out {
    int file;
    pthread_t thread;
    pthread_mutex_t lock; /* guards stop and keep */
    pthread_cond_t changed;
    bool begun, stop, keep;
    /* Those who write add to them; atomic. */
    uint64_t copied_bytes, copying_ns;
    uint64_t dropped_bytes; /* so much of the file's begin was dropped; atomic */
    /* The thread's. */
    bool dear;
    int problem; /* the errno of what could not be written, which fsync() tells but once; 0 = none */
};

/* The file, a descriptor that stays open until the end, goes to the disk from now on. Where no thread can be
 * started it goes when it is synced. */
void write_out_begin(struct write_out *out, int file);
/* What is in memory now, and what is written from now on, stays there. */
void write_out_keep(struct write_out *out);
/* Ends it, unless it has ended. Returns 0, or the errno of what could not be written. */
int write_out_end(struct write_out *out);

/* Before and after so many bytes are written to the file, by any thread: what does that cost? NULL is allowed. */
uint64_t write_out_clock(const struct write_out *out, size_t bytes);
void write_out_copied(struct write_out *out, size_t bytes, uint64_t clock);

#endif
