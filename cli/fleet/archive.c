/* A run's database, packed: see archive.h. */
#include "cli/fleet/archive.h"

#include "base/unfinished.h"
#include "cli/out/interrupts.h"
#include "cli/out/say.h"
#include "cli/query/query_file.h"
#include "cli/run/distrust.h"
#include "cli/run/run_view.h"
#include "queries/embedded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* archive.sql */
extern const char archive_sql_columns[];

/* The rows that we copy of a table, if not all. We keep the blocks that rollups name. */
static const struct {
    const char *table, *rest;
} cut[] = {
    {"calls", "WHERE 0"},
    {"call_values", "WHERE 0"},
    {"valued_calls", "WHERE 0"},
    {"allocs",
     "WHERE id IN (SELECT first_live_id FROM alloc_stacks UNION SELECT last_live_id FROM "
     "alloc_stacks"
     " UNION SELECT first_alloc_id FROM alloc_stacks UNION SELECT last_alloc_id FROM alloc_stacks"
     " UNION SELECT alloc_id FROM free_errors UNION SELECT example_mismatch_id FROM block_flows"
     " UNION SELECT example_alloc_id FROM block_flows UNION SELECT example_alloc_id FROM "
     "alloc_owners"
     " UNION SELECT first_alloc_id FROM alloc_chains UNION SELECT last_alloc_id FROM "
     "alloc_chains)"},
};

static const char *rest_of(const char *table, bool calls)
{
    for (size_t i = 0; i < sizeof cut / sizeof cut[0] && !calls; i++)
        if (strcmp(cut[i].table, table) == 0)
            return cut[i].rest;
    return "";
}

static int copy_rows(sqlite3_stmt *rows, sqlite3_stmt *insert)
{
    int count = sqlite3_column_count(rows);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        int result = SQLITE_OK;
        for (int i = 0; i < count && result == SQLITE_OK; i++)
            result = sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
        if (result == SQLITE_OK)
            result = sqlite3_step(insert);
        sqlite3_reset(insert);
        if (result != SQLITE_DONE)
            return fail("the temporary copy cannot be written: %s: TMPDIR may name a folder with "
                        "more room",
                        sqlite3_errstr(result));
    }
    sqlite3 *database = sqlite3_db_handle(rows);
    return sqlite3_reset(rows) == SQLITE_OK
               ? 0
               : fail("%s: cannot be read: %s", sqlite3_db_filename(database, "main"),
                      sqlite3_errmsg(database));
}

static int copy_table(sqlite3 *copy, sqlite3 *database, bool calls, sqlite3_stmt *table)
{
    const char *name = (const char *)sqlite3_column_text(table, 0);
    const char *columns = (const char *)sqlite3_column_text(table, 1);
    const char *marks = (const char *)sqlite3_column_text(table, 2);
    if (name == NULL || columns == NULL || marks == NULL)
        return fail("the temporary copy cannot be made: out of memory");
    char *select =
        sqlite3_mprintf("SELECT %s FROM main.\"%w\" %s", columns, name, rest_of(name, calls));
    char *put = sqlite3_mprintf("INSERT INTO \"%w\"(%s) VALUES (%s)", name, columns, marks);
    sqlite3_stmt *rows = NULL, *insert = NULL;
    int status = 0;
    if (select == NULL || put == NULL)
        status = fail("the table %s cannot be copied: out of memory", name);
    else if (sqlite3_prepare_v2(database, select, -1, &rows, NULL) != SQLITE_OK)
        status = fail("the table %s cannot be read: %s", name, sqlite3_errmsg(database));
    else if (sqlite3_prepare_v2(copy, put, -1, &insert, NULL) != SQLITE_OK)
        status = fail("the table %s cannot be copied: %s", name, sqlite3_errmsg(copy));
    else
        status = copy_rows(rows, insert);
    sqlite3_finalize(rows);
    sqlite3_finalize(insert);
    sqlite3_free(select);
    sqlite3_free(put);
    return status;
}

/* Makes the tables and indexes of schema.sql. archive_add_views() makes the views again later. */
static int make_tables(sqlite3 *copy)
{
    sqlite3 *memory = NULL;
    sqlite3_stmt *rows = NULL;
    int result = sqlite3_open(":memory:", &memory);
    if (result == SQLITE_OK)
        result = sqlite3_exec(memory, embedded_schema, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(
            memory,
            "SELECT printf('PRAGMA application_id = %d', application_id) FROM pragma_application_id"
            " UNION ALL SELECT printf('PRAGMA user_version = %d', user_version) FROM "
            "pragma_user_version"
            " UNION ALL SELECT sql FROM sqlite_schema WHERE type <> 'view' AND sql IS NOT NULL",
            -1, &rows, NULL);
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(rows, 0);
        result = sql != NULL ? sqlite3_exec(copy, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    }
    sqlite3_finalize(rows);
    sqlite3_close(memory);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int copy_all(sqlite3 *copy, sqlite3 *database, bool calls)
{
    sqlite3_stmt *tables = NULL;
    int status = 0;
    int result = sqlite3_exec(copy,
                              "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                              "PRAGMA cache_size = -32768; PRAGMA temp_store = FILE; BEGIN",
                              NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = make_tables(copy);
    if (result == SQLITE_OK)
        result = sqlite3_prepare_v2(copy, archive_sql_columns, -1, &tables, NULL);
    while (status == 0 && (result == SQLITE_OK || result == SQLITE_ROW)) {
        result = sqlite3_step(tables);
        if (result == SQLITE_ROW)
            status = copy_table(copy, database, calls, tables);
    }
    if (status == 0 && result != SQLITE_DONE)
        status = fail("the temporary copy cannot be made: %s", sqlite3_errstr(result));
    sqlite3_finalize(tables);
    if (status == 0 && sqlite3_exec(copy, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = fail(
            "the temporary copy cannot be written: %s: TMPDIR may name a folder with more room",
            sqlite3_errmsg(copy));
    return status;
}

/* Makes the views of this fisql. A run pushed by another version has other views: we leave these
 * out, because fisql replaces them with its own or refuses the run. */
int archive_add_views(const char *path)
{
    sqlite3 *database = NULL, *memory = NULL;
    sqlite3_stmt *rows = NULL;
    char *views = query_views_sql();
    int result =
        sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL,
                              NULL, NULL);
    distrust(database, DISTRUST_ADD_VIEWS);
    bool made =
        views != NULL && result == SQLITE_OK && sqlite3_open(":memory:", &memory) == SQLITE_OK &&
        sqlite3_exec(memory, embedded_schema, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(memory, views, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(memory,
                           "SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid", -1,
                           &rows, NULL) == SQLITE_OK &&
        sqlite3_exec(database, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    bool same = made && run_integer(memory, "PRAGMA user_version", 0) ==
                            run_integer(database, "PRAGMA user_version", -1);
    while (same && result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW)
        result =
            sqlite3_exec(database, (const char *)sqlite3_column_text(rows, 0), NULL, NULL, NULL);
    result = result == SQLITE_DONE ? SQLITE_OK : result;
    int status = 0;
    if (!made || result != SQLITE_OK ||
        sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = fail("%s: its views cannot be made: %s", path, sqlite3_errmsg(database));
    sqlite3_finalize(rows);
    sqlite3_close(memory);
    sqlite3_close(database);
    free(views);
    return status;
}

/* ---- the temporary copy ---- */

static const char temporary_start[] = "fisql-push-";

/* Removes the copy of a killed push: nobody holds its lock. */
static void remove_left(int folder, const char *name)
{
    struct stat status;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(file);
}

static void remove_all_left(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, temporary_start, strlen(temporary_start)) == 0)
            remove_left(dirfd(folder), entry->d_name);
    if (folder != NULL)
        closedir(folder);
}

/* Locks the new file. Before that, another push may have taken it for a leftover and removed it. */
static bool lock_own(struct archive *archive, int file)
{
    struct stat named, opened;
    bool locked = flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &opened) == 0 &&
                  lstat(archive->path, &named) == 0 && named.st_ino == opened.st_ino &&
                  named.st_dev == opened.st_dev;
    archive->lock = file;
    if (!locked)
        archive_release(archive);
    return locked;
}

/* Makes a file that only we can read. A signal that ends fisql removes it. */
static int make_temporary(struct archive *archive)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    interrupts_remove_unfinished();
    remove_all_left(folder);
    for (int i = 0; i < 100; i++) {
        if (snprintf(archive->path, sizeof archive->path, "%s/%s%d-%d", folder, temporary_start,
                     (int)getpid(), i) >= (int)sizeof archive->path)
            break;
        int file = unfinished_open(archive->path, NULL, 0);
        if (file >= 0 && lock_own(archive, file))
            return 0;
        if (file < 0 && errno != EEXIST)
            break;
    }
    int why = errno;
    fail("%s: a temporary copy cannot be made there: %s: TMPDIR may name another folder", folder,
         strerror(why));
    archive->path[0] = '\0';
    return 2;
}

int archive_make(struct archive *archive, sqlite3 *database, bool calls)
{
    sqlite3 *copy = NULL;
    struct stat made;
    *archive = (struct archive){.bytes = 0};
    int status = make_temporary(archive);
    if (status == 0 &&
        sqlite3_open_v2(archive->path, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK)
        status = fail("%s: %s", archive->path, sqlite3_errmsg(copy));
    if (status == 0)
        status = copy_all(copy, database, calls);
    sqlite3_close(copy);
    if (status == 0 && stat(archive->path, &made) != 0)
        status = fail("%s: %s", archive->path, strerror(errno));
    archive->bytes = status == 0 ? made.st_size : 0;
    return status;
}

void archive_release(struct archive *archive)
{
    if (archive->path[0] == '\0')
        return;
    unfinished_remove(archive->path);
    close(archive->lock);
    archive->path[0] = '\0';
}

/* ---- packing ---- */

struct packer {
    ZSTD_CCtx *zstd;
    char *in, *out;
    size_t out_bytes;
    int (*put)(void *context, int64_t number, const void *bytes, size_t size_bytes);
    void *context;
    int64_t parts;
};

static int put_part(struct packer *packer)
{
    int status = packer->put(packer->context, packer->parts, packer->out, packer->out_bytes);
    packer->parts++;
    packer->out_bytes = 0;
    return status;
}

/* Packs the bytes read; the last call passes ZSTD_e_end. */
static int pack(struct packer *packer, size_t size_bytes, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {packer->in, size_bytes, 0};
    for (;;) {
        ZSTD_outBuffer out = {packer->out, ARCHIVE_PART_BYTES, packer->out_bytes};
        size_t left = ZSTD_compressStream2(packer->zstd, &out, &in, end);
        packer->out_bytes = out.pos;
        if (ZSTD_isError(left))
            return fail("the run cannot be packed: %s", ZSTD_getErrorName(left));
        bool done = end == ZSTD_e_end ? left == 0 : in.pos == in.size;
        if ((out.pos == out.size || (done && end == ZSTD_e_end && out.pos > 0)) &&
            put_part(packer) != 0)
            return 2;
        if (done)
            return 0;
    }
}

static int pack_file(struct packer *packer, const char *path, FILE *file)
{
    size_t bytes;
    while ((bytes = fread(packer->in, 1, ARCHIVE_PART_BYTES, file)) > 0)
        if (pack(packer, bytes, ZSTD_e_continue) != 0)
            return 2;
    if (ferror(file))
        return fail("%s: cannot be read: %s", path, strerror(errno));
    return pack(packer, 0, ZSTD_e_end);
}

int archive_pack(const struct archive *archive,
                 int (*put)(void *context, int64_t number, const void *bytes, size_t size_bytes),
                 void *context, int64_t *parts)
{
    const int level = 6;
    struct packer packer = {.put = put, .context = context};
    FILE *file = fopen(archive->path, "re");
    packer.zstd = ZSTD_createCCtx();
    packer.in = malloc(ARCHIVE_PART_BYTES);
    packer.out = malloc(ARCHIVE_PART_BYTES);
    int status = file == NULL ? fail("%s: %s", archive->path, strerror(errno))
                 : packer.zstd == NULL || packer.in == NULL || packer.out == NULL
                     ? fail("out of memory")
                     : 0;
    if (status == 0) {
        ZSTD_CCtx_setParameter(packer.zstd, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(packer.zstd, ZSTD_c_checksumFlag, 1);
        status = pack_file(&packer, archive->path, file);
    }
    *parts = packer.parts;
    if (file != NULL)
        fclose(file);
    ZSTD_freeCCtx(packer.zstd);
    free(packer.in);
    free(packer.out);
    return status;
}

/* ---- unpacking ---- */

struct unpacker {
    ZSTD_DCtx *zstd;
    char *out;
    FILE *stream;
    const char *what;
    int64_t bytes, bytes_max;
    size_t left; /* 0 = the frame is whole */
};

/* All parts but the last are full, and packing makes no input much larger. So we refuse parts
 * that never end or hold nothing, before or when they come. Pages of rows pack to about a tenth. */
enum { UNPACKED_FACTOR_MAX = 1000 };

static int check_size(const char *what, int64_t parts, int64_t bytes)
{
    int64_t parts_max = bytes / ARCHIVE_PART_BYTES * 2 + 2;
    if (parts < 1 || bytes < 1 || parts > parts_max ||
        bytes / ((int64_t)UNPACKED_FACTOR_MAX * ARCHIVE_PART_BYTES) > parts)
        return fail(
            "%s: is kept in %lld parts, to be a database of %lld bytes, which cannot be: it was "
            "changed",
            what, (long long)parts, (long long)bytes);
    return 0;
}

static int unpack(struct unpacker *unpacker, const void *bytes, size_t size_bytes)
{
    ZSTD_inBuffer in = {bytes, size_bytes, 0};
    size_t wrote = 1;
    while (in.pos < in.size || wrote == ARCHIVE_PART_BYTES) {
        ZSTD_outBuffer out = {unpacker->out, ARCHIVE_PART_BYTES, 0};
        unpacker->left = ZSTD_decompressStream(unpacker->zstd, &out, &in);
        if (ZSTD_isError(unpacker->left))
            return fail("%s: what is kept of it is damaged: %s", unpacker->what,
                        ZSTD_getErrorName(unpacker->left));
        wrote = out.pos;
        unpacker->bytes += (int64_t)out.pos;
        if (unpacker->bytes > unpacker->bytes_max)
            return fail("%s: what is kept of it is larger than it says: it was changed",
                        unpacker->what);
        if (fwrite(unpacker->out, 1, out.pos, unpacker->stream) != out.pos)
            return fail(
                "%s: its database cannot be written: %s: give another file with -o, or make room "
                "(it takes %lld bytes)",
                unpacker->what, strerror(errno), (long long)unpacker->bytes_max);
    }
    return 0;
}

int archive_unpack(int (*get)(void *context, int64_t number, void **bytes, size_t *size_bytes),
                   void *context, int64_t parts, int64_t bytes, const char *what, FILE *out)
{
    struct unpacker unpacker = {.zstd = ZSTD_createDCtx(),
                                .out = malloc(ARCHIVE_PART_BYTES),
                                .stream = out,
                                .what = what,
                                .bytes_max = bytes,
                                .left = 1};
    int status = unpacker.zstd == NULL || unpacker.out == NULL ? fail("out of memory") : 0;
    if (status == 0)
        status = check_size(what, parts, bytes);
    for (int64_t number = 0; number < parts && status == 0; number++) {
        void *part = NULL;
        size_t size_bytes = 0;
        status = get(context, number, &part, &size_bytes);
        if (status == 0 && number + 1 < parts && size_bytes != ARCHIVE_PART_BYTES)
            status = fail("%s: part %lld of what is kept of it is not whole: it was changed", what,
                          (long long)number);
        if (status == 0)
            status = unpack(&unpacker, part, size_bytes);
        free(part);
    }
    if (status == 0 && (unpacker.left != 0 || unpacker.bytes != bytes))
        status = fail("%s: what is kept of it is not whole", what);
    ZSTD_freeDCtx(unpacker.zstd);
    free(unpacker.out);
    return status;
}
