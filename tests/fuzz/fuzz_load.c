/*
 * Fuzzes the whole loader: libFuzzer's bytes are a log, which is indexed, decoded, paired, written
 * and then read back by sqlite3 (integrity_check now and then). `make fuzz` builds it with clang's
 * sanitizers and runs it on logs of real programs.
 *
 * A flipped bit only ever shows that checksums work. So after each mutation
 * (LLVMFuzzerCustomMutator) the checksum of every chunk that still has a header is made right
 * again, but for one mutation in eight.
 */
#include "loader/loader.h"
#include "formats/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

static char folder[64], log_path[128], database_path[128];

static void remove_folder(void)
{
    unlink(log_path);
    unlink(database_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count;
    (void)arguments;
    snprintf(folder, sizeof folder, "%s",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm/fisql-XXXXXX" : "/tmp/fisql-XXXXXX");
    if (mkdtemp(folder) == NULL)
        abort();
    snprintf(log_path, sizeof log_path, "%s/run.bin", folder);
    snprintf(database_path, sizeof database_path, "%s/run.db", folder);
    atexit(remove_folder);
    return 0;
}

/* Makes the chunks' checksums right, as far as headers lead from one to the next. */
static void mend(uint8_t *data, size_t size)
{
    for (size_t at = 0; size - at >= sizeof(struct fisql_chunk);) {
        struct fisql_chunk *chunk = malloc(size - at);
        if (chunk == NULL)
            return;
        memcpy(chunk, data + at, size - at);
        uint32_t length = chunk->length;
        bool whole =
            chunk->magic == FISQL_CHUNK_MAGIC && length >= sizeof *chunk && length <= size - at;
        if (whole) {
            chunk->checksum = 0;
            chunk->checksum = fisql_checksum(chunk, length);
            memcpy(data + at, chunk, sizeof *chunk);
        }
        free(chunk);
        if (!whole)
            return;
        at += length;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 8 != 0)
        mend(data, size);
    return size;
}

static void check_database(void)
{
    static unsigned long runs;
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    const char *sql = ++runs % 16 == 0 ? "PRAGMA integrity_check" : "SELECT 'ok' FROM run LIMIT 1";
    if (sqlite3_open_v2(database_path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW ||
        strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0)
        abort();
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct load_report report;
    struct error error;
    const struct load_options options = {.threads = 1, .cache_dir = "symbols"};
    int file = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
    int status = fisql_load(log_path, database_path, &options, &report, &error);
    load_report_release(&report);
    struct stat found;
    if ((status == 2) != (stat(database_path, &found) != 0))
        abort(); /* a failed load leaves nothing, any other one a database */
    if (status != 2)
        check_database();
    unlink(database_path);
    return 0;
}
