/* Finds the reader of a recording: see foreign.h. */
#include "loader/foreign/foreign_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_pool.h"

#define HEAD_BYTES 4096u

static const struct reader {
    const char *word;
    bool folder;
    bool (*is)(const char *path, const unsigned char *head, size_t bytes);
    int (*read)(const struct foreign_job *job, struct error *error);
} readers[] = {
#define FOREIGN_ROW(word, folder, is, read, what) {#word, folder, is, read},
    FOREIGN_READERS(FOREIGN_ROW)
#undef FOREIGN_ROW
};

static const struct reader *reader_of(const char *path, bool folder, const unsigned char *head,
                                      size_t bytes)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (readers[i].folder == folder && readers[i].is(path, head, bytes))
            return &readers[i];
    return NULL;
}

/* *found: NULL where it is nothing that we know; whoever reads it as a log says so. *run_id: the
 * same each time that the recording is read. */
static int find(const char *path, const struct reader **found, uint64_t *run_id,
                struct error *error)
{
    struct stat status;
    *found = NULL;
    if (stat(path, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return 0;
    *run_id = text_hash(TEXT_HASH_START, (const char *)&status.st_size, sizeof status.st_size);
    if (S_ISDIR(status.st_mode)) {
        *run_id = text_hash(*run_id, path, strlen(path));
        *run_id =
            text_hash(*run_id, (const char *)&status.st_mtim.tv_sec, sizeof status.st_mtim.tv_sec);
        *found = reader_of(path, true, NULL, 0);
        return 0;
    }
    struct foreign_input input;
    int result = foreign_input_open(&input, path, error);
    if (result == 0)
        result = foreign_input_fill(&input, HEAD_BYTES, error);
    if (result == 0 && input.count > 0) {
        size_t bytes = input.count < HEAD_BYTES ? input.count : HEAD_BYTES;
        *found = reader_of(path, false, foreign_input_at(&input), bytes);
        *run_id = text_hash(*run_id, (const char *)foreign_input_at(&input), bytes);
    }
    foreign_input_close(&input);
    return result;
}

static int write_run(struct log_writer *writer, const struct reader *reader, struct error *error)
{
    /* What others record has no allocations, and no readings of the threads' clocks. */
    char options[64];
    snprintf(options, sizeof options, "%s,%s", fisql_option(FISQL_OPTION_NO_ALLOC),
             fisql_option(FISQL_OPTION_NO_WAITS));
    log_facts_begin(writer, FISQL_CHUNK_RUN, NULL, 0);
    if (log_fact(writer, FISQL_FACT_RUN_SOURCE, reader->word, error) != 0 ||
        log_fact(writer, FISQL_FACT_RUN_OPTIONS, options, error) != 0)
        return -1;
    return log_facts_end(writer, error);
}

/* An error about the recording's content names it. */
static int name_file(const char *path, struct error *error)
{
    char text[sizeof error->text];
    uint64_t offset = error->offset;
    if (strncmp(error->text, path, strlen(path)) == 0 || error->file[0] != 0)
        return -1;
    memcpy(text, error->text, sizeof text);
    error_set_file(error, error->kind, path, "%s", text);
    return offset != ERROR_NO_OFFSET ? error_at(error, path, offset) : -1;
}

int foreign_log_make(struct foreign_log *log, const char *path, const char *folder,
                     foreign_progress *progress, void *context, struct error *error)
{
    const struct reader *reader;
    uint64_t run_id = 0;
    *log = (struct foreign_log){.writer = NULL};
    if (find(path, &reader, &run_id, error) != 0)
        return -1;
    if (reader == NULL)
        return 0;
    log->source = reader->word;
    log->writer = calloc(1, sizeof *log->writer);
    if (log->writer == NULL)
        return error_set(error, "out of memory");
    const struct foreign_job job = {path, folder, log->writer, progress, context};
    if (log_writer_open(log->writer, folder, run_id | 1, error) != 0 ||
        write_run(log->writer, reader, error) != 0)
        return -1;
    if (reader->read(&job, error) != 0)
        return name_file(path, error);
    log->path = log->writer->path;
    return log_writer_finish(log->writer, error);
}

void foreign_log_close(struct foreign_log *log)
{
    if (log->writer != NULL)
        log_writer_close(log->writer);
    free(log->writer);
    *log = (struct foreign_log){.writer = NULL};
}
