/* What fisql record says is in its log: whole chunks alone (cli/record/log_totals.h). */
#include "cli/record/log_totals.h"
#include "tests/unit/check.h"
#include "tests/unit/log_builder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNKS = 3 };

/* Three chunks of 10, 20 and 40 calls; from the byte `cut` of the chunk `damaged` on to its end,
 * nothing was written. Returns how many calls are counted. */
static uint64_t counted(int damaged, size_t cut, bool doubtful)
{
    static struct log_builder log;
    static const uint32_t calls[CHUNKS] = {10, 20, 40};
    size_t starts[CHUNKS + 1];
    char path[] = "log_totals-XXXXXX";
    struct log_totals totals = {0};
    log.bytes = 0;
    for (uint32_t i = 0; i < CHUNKS; i++) {
        starts[i] = log.bytes;
        /* Not zeros, which a hole would equal. */
        size_t start = log_add(&log, log_events(i, 1 + (uint64_t)i * 100, calls[i]), "units", 5);
        check(start == starts[i], "chunks lie one behind the other");
    }
    starts[CHUNKS] = log.bytes;
    if (damaged >= 0)
        memset(log.data + starts[damaged] + cut, 0, starts[damaged + 1] - starts[damaged] - cut);
    int file = mkstemp(path);
    bool written = file >= 0 && write(file, log.data, log.bytes) == (ssize_t)log.bytes;
    if (written)
        log_totals(file, LOG_RUN, doubtful, &totals);
    check(written, "the log is written");
    close(file);
    unlink(path);
    return totals.calls;
}

int main(void)
{
    const size_t behind_header = sizeof(struct fisql_chunk);
    check_equal(70, counted(-1, 0, false), "whole chunks");
    check_equal(70, counted(-1, 0, true), "whole chunks, after a write that failed");
    check_equal(70, counted(1, behind_header, false), "headers alone do not show a cut");
    check_equal(50, counted(1, behind_header, true), "a cut chunk before a later one");
    check_equal(60, counted(0, behind_header, true), "the first one");
    check_equal(30, counted(2, behind_header, true), "the last one");
    check_equal(50, counted(1, 0, true), "a hole in place of a chunk");
    return check_status();
}
