/* What the readers of other tools' recordings share. Nobody else includes this. */
#ifndef FISQL_LOADER_FOREIGN_FOREIGN_PARTS_H
#define FISQL_LOADER_FOREIGN_FOREIGN_PARTS_H

#include "loader/foreign/foreign.h"
#include "loader/foreign/log_writer.h"

/* What one reader is asked to do. */
struct foreign_job {
    const char *path;
    const char *folder; /* for temporary files */
    struct log_writer *writer;
    foreign_progress *progress;
    void *progress_context;
};

/* The readers: each turns the recording into a log, which is whole when it returns 0. X(word, reads
 * a folder, reader, what). The words are values of run.source. To add one: docs/foreign.md. */
#define FOREIGN_READERS(X)                                                                         \
    X(uftrace, true, uftrace_is, uftrace_read, "a folder of uftrace")                              \
    X(chrome, false, chrome_is, chrome_read, "Chrome's JSON trace events")                         \
    X(perfetto, false, perfetto_is, perfetto_read, "a trace of Perfetto")

/* ..._is: could the file be one? head: its first `bytes` bytes, unpacked; of a folder nothing, but
 * its path. ..._read: 0, or -1 with an error that names the file. */
#define FOREIGN_DECLARE(word, folder, is, read, what)                                              \
    bool is(const char *path, const unsigned char *head, size_t bytes);                            \
    MUST_CHECK int read(const struct foreign_job *job, struct error *error);
FOREIGN_READERS(FOREIGN_DECLARE)
#undef FOREIGN_DECLARE

/* Of events in a file that has slices: see slices.h. */
enum foreign_track { FOREIGN_THREAD, FOREIGN_ASYNC, FOREIGN_COUNTERS };

#endif
