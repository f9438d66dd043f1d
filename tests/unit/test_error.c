/* Errors: their words are the same whichever function sets them, and the kind says who is to act:
 * the user, the log, the machine, or nobody. */
#include "base/error.h"
#include "loader/loader.h"
#include "loader/log/log_reader.h"
#include "loader/memory/memory.h"
#include "tests/unit/check.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/fisql-error-XXXXXX";

static void words(void)
{
    struct error error;
    check_equal(-1, error_set(&error, "out of %s", "memory"), "an error's value is -1");
    check_string("out of memory", error.text, "its words are formatted");
    check_equal(ERROR_SYSTEM, error.kind, "it is the machine's where nothing else is said");
    check_string("", error.file, "it is about no file");
    check(error.offset == ERROR_NO_OFFSET, "nor about a place in one");
    check_equal(-1, error_set(NULL, "x"), "nobody has to take an error");
    check_equal(-1, error_set_kind(NULL, ERROR_DAMAGE, "x"), "nor one of a kind");
    check_equal(-1, error_set_file(NULL, ERROR_DAMAGE, "f", "x"), "nor one about a file");
    check_equal(-1, error_at(NULL, "f", 0), "nor its place");
}

static void places(void)
{
    struct error error;
    check_equal(-1, error_set_file(&error, ERROR_USAGE, "a\nb", "no log: %d\a", 7),
                "an error about a file is -1 too");
    check_string("a?b: no log: 7?", error.text, "its words begin with the file, without controls");
    check_string("a?b", error.file, "the file stands by itself too");
    check_equal(ERROR_USAGE, error.kind, "with the kind");
    error_set_kind(&error, ERROR_DAMAGE, "too long");
    check_string("", error.file, "the next error does not keep the file of the one before");
    check_equal(-1, error_at(&error, "run.bin", 4096), "a place is added later");
    check_string("too long", error.text, "the words stay");
    check_string("run.bin", error.file, "the file is known");
    check_equal(4096, error.offset, "and the offset");
    check_equal(ERROR_DAMAGE, error.kind, "and the kind stays");
}

static void long_ones(void)
{
    struct error error;
    char name[3000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    error_set_file(&error, ERROR_SYSTEM, name, "%s", "lost");
    check_equal(sizeof error.text - 1, strlen(error.text), "a long text is cut");
    check_equal(sizeof error.file - 1, strlen(error.file), "as is a long name");
}

/* What fisql_load says of a file with these contents; NULL = there is no file. */
static struct error load_of(const char *contents, size_t bytes)
{
    char log[64], database[64];
    struct load_report report;
    struct error error;
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(database, sizeof database, "%s/db", folder);
    unlink(log);
    FILE *file = contents != NULL ? fopen(log, "w") : NULL;
    if (file != NULL) {
        fwrite(contents, 1, bytes, file);
        fclose(file);
    }
    check_equal(2, fisql_load(log, database, NULL, &report, &error), "it is not loaded");
    check(strncmp(error.text, error.file, strlen(log)) == 0 && strcmp(error.file, log) == 0,
          "the words begin with the log's name: %s", error.text);
    load_report_release(&report);
    unlink(log);
    return error;
}

static void kinds(void)
{
    struct fisql_chunk newer = {.magic = FISQL_CHUNK_MAGIC,
                                .version = FISQL_LOG_VERSION + 1,
                                .kind = FISQL_CHUNK_RUN,
                                .length = sizeof newer};
    check_equal(ERROR_SYSTEM, load_of(NULL, 0).kind, "no file: the system's word");
    check_equal(ERROR_USAGE, load_of("", 0).kind, "an empty file: another one is meant");
    check_equal(ERROR_USAGE, load_of("no log at all", 13).kind, "no log: another one is meant");
    check_equal(ERROR_UNSUPPORTED, load_of((const char *)&newer, sizeof newer).kind,
                "a newer log: another fisql can");
}

/* The log's window says where reading ended. */
static void offsets(void)
{
    char path[64];
    struct error error;
    struct log_reader reader;
    const unsigned char *bytes;
    snprintf(path, sizeof path, "%s/short", folder);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return;
    for (int i = 0; i < 1000; i++)
        fputc('x', file);
    fclose(file);
    check_equal(0, log_reader_open(&reader, path, &error), "a file of 1000 bytes is opened");
    check_equal(0, truncate(path, 600), "and loses 400 of them");
    check_equal(-1, log_window_at(&reader.window, 0, 900, &bytes, &error), "reading 900 fails");
    check_equal(ERROR_SYSTEM, error.kind, "which is no damage: the file changed");
    check_equal(600, error.offset, "at the end that it has now");
    check_string(path, error.file, "of this file");
    log_reader_close(&reader);
    unlink(path);
}

/* A full disk while a chunk is decoded must not pass for damage of the chunk. */
static void spool_fails(void)
{
    struct memory_options options = {.folder = "/nonexistent/folder", .spool_bytes = 1};
    struct memory_stack no_calls = {NULL, 0, 0};
    struct memory *memory;
    struct memory_thread *thread;
    struct error error = {.kind = ERROR_DAMAGE};
    if (!check(memory_open(&options, &memory, &error) == 0 &&
                   memory_thread_begin(memory, 1, 1, &thread, &error) == 0,
               "a spool without a folder begins"))
        return;
    int result = 0;
    for (uint64_t i = 1; result == 0 && i < 1000000; i++)
        result = memory_alloc(thread, i, 0, 1, i * 16, 16, &no_calls, &error);
    check_equal(-1, result, "its temporary file cannot be made");
    check_equal(ERROR_SYSTEM, error.kind, "which is the machine's fault");
    memory_close(memory);
}

int main(void)
{
    if (mkdtemp(folder) == NULL)
        return 1;
    words();
    places();
    long_ones();
    kinds();
    offsets();
    spool_fails();
    rmdir(folder);
    return check_status();
}
