/*
 * Fuzzes the whole loader: libFuzzer's bytes are a log, which is indexed, decoded, paired, written
 * and then read back by sqlite3 (integrity_check now and then). `make fuzz` builds it with clang's
 * sanitizers and runs it on logs of real programs.
 *
 * Other tools' recordings are known by their content, so what is JSON or a trace of Perfetto goes
 * through their readers. Behind FOLDER_MAGIC come the files of a folder of uftrace: a name, a line
 * feed, the length in two bytes, the content (tests/fuzz/folder.py packs one).
 *
 * A flipped bit only ever shows that checksums work. So after each mutation
 * (LLVMFuzzerCustomMutator) the checksum of every chunk that still has a header is made right
 * again, but for one mutation in eight.
 *
 * A load may take CPU_SECONDS of the processor, on a busy machine as on an idle one. libFuzzer's
 * own limit is by the clock on the wall.
 */
#include "loader/loader.h"
#include "formats/log.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <sqlite3.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

#define FOLDER_MAGIC "uftrace folder\n"
#define CPU_SECONDS 20

static char folder[64], log_path[128], database_path[128], made_path[128];

/* Empties the folder of uftrace, and removes it. */
static void remove_made(void)
{
    DIR *made = opendir(made_path);
    if (made == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(made)) != NULL;)
        unlinkat(dirfd(made), entry->d_name, 0);
    closedir(made);
    rmdir(made_path);
}

static void write_file(int at, const char *name, const uint8_t *data, size_t size)
{
    int file = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return; /* a name that cannot be */
    if (write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
}

static void make_folder(const uint8_t *data, size_t size)
{
    char name[64];
    remove_made();
    if (mkdir(made_path, 0700) != 0)
        abort();
    int at = open(made_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0 && size > 3) {
        const uint8_t *line = memchr(data, '\n', size - 2);
        size_t length = line != NULL ? (size_t)(line - data) : sizeof name;
        if (length >= sizeof name || memchr(data, '/', length) != NULL)
            break;
        memcpy(name, data, length);
        name[length] = 0;
        size_t bytes = (size_t)(line[1] | line[2] << 8);
        data = line + 3;
        size -= length + 3;
        if (bytes > size)
            bytes = size;
        write_file(at, name, data, bytes);
        data += bytes;
        size -= bytes;
    }
    close(at);
}

static void remove_folder(void)
{
    remove_made();
    unlink(log_path);
    unlink(database_path);
    rmdir(folder);
}

/* libFuzzer keeps the input that aborts. */
static void too_slow(int number)
{
    static const char words[] = "fuzz_load: a load takes too long\n";
    (void)number;
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    abort();
}

static void limit_time(time_t seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
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
    snprintf(made_path, sizeof made_path, "%s/uftrace.data", folder);
    atexit(remove_folder);
    signal(SIGPROF, too_slow);
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
    const size_t magic = sizeof FOLDER_MAGIC - 1;
    bool made = size > magic && memcmp(data, FOLDER_MAGIC, magic) == 0;
    if (made)
        make_folder(data + magic, size - magic);
    else
        write_file(AT_FDCWD, log_path, data, size);
    limit_time(CPU_SECONDS);
    int status = fisql_load(made ? made_path : log_path, database_path, &options, &report, &error);
    load_report_release(&report);
    struct stat found;
    if ((status == 2) != (stat(database_path, &found) != 0))
        abort(); /* a failed load leaves nothing, any other one a database */
    if (status != 2)
        check_database();
    limit_time(0);
    unlink(database_path);
    return 0;
}
