/*
 * A thread brings a file to the disk while others write it. The kernel would begin half a minute
 * later, and a sync would wait for the disk then.
 *
 * Where memory is dear, we drop from the page cache what has reached the disk, except the last
 * bytes: the kernel then uses the same pages again and again. If the machine has free pages,
 * filling one of 4 KiB costs 1 us (a Zen 5), and the file stays in memory for its next readers. A
 * virtual machine that lends free memory to its host gets each page back by a fault there: 11 to 14
 * us, measured on one whose disk gives a page in 4. So writers report their cost.
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
    /* Writers add to them; atomic. */
    uint64_t copied_bytes, copying_ns;
    uint64_t dropped_bytes; /* dropped from the file's start; atomic */
    /* The thread's. */
    bool dear;
    int problem; /* the errno of a failed write, which fsync() reports only once; 0 = none */
};

/* The file goes to the disk from now on. Its descriptor stays open until the end. If no thread can
 * start, a sync brings the file there. */
void write_out_begin(struct write_out *out, int file);
/* What is in memory now, or comes there later, stays there. */
void write_out_keep(struct write_out *out);
/* Ends the thread, once. Returns 0, or the errno of a failed write. */
int write_out_end(struct write_out *out);

/* Call these before and after any thread writes so many bytes: they measure its cost. NULL is
 * allowed. */
uint64_t write_out_clock(const struct write_out *out, size_t bytes);
void write_out_copied(struct write_out *out, size_t bytes, uint64_t clock);

#endif
