/*
 * A library for LD_PRELOAD that makes one call of a program fail, once: what tests/tools/self_faults.py has
 * done to fisql. `fisql faults` fails calls of the C library where the program itself makes them; this one
 * fails those of SQLite and libdwarf, too, and SQLite's own interface, each with the error that it has.
 *
 *   FAILING_LIST=FILE  none fails; at the end FILE gets a line a call: its name and a number that calls from
 *                      the same places of the program have in common
 *   FAILING_AT=N       the N-th call of that list fails; FAILING_SAID=FILE gets its name and the addresses that
 *                      it would have returned to; where the program crashes after it, those of the crash too
 *
 * With one thread the calls of two runs are the same.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CALLS_MAX = 1 << 20, FRAMES_MAX = 96 };

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static struct {
    const char *name;
    uint64_t context;
} calls[CALLS_MAX];
static uint64_t calls_count, failing_at; /* atomic; 0 = none */
static const char *list_path, *said_path;
static uintptr_t program_begin, program_end;
static bool ready;
static __thread bool inside; /* calls of this library itself do not count */

static int find_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            program_begin = info->dlpi_addr + part->p_vaddr;
            program_end = program_begin + part->p_memsz;
        }
    }
    return 1; /* the first one is the program */
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAILING_AT");
    void *frames[FRAMES_MAX];
    inside = true;
    list_path = getenv("FAILING_LIST");
    said_path = getenv("FAILING_SAID");
    failing_at = at != NULL ? strtoull(at, NULL, 10) : 0;
    unsetenv("LD_PRELOAD"); /* programs that it runs are not meant */
    (void)backtrace(frames, FRAMES_MAX);
    dl_iterate_phdr(find_program, NULL);
    inside = false;
    ready = list_path != NULL || failing_at != 0;
}

__attribute__((destructor)) static void end(void)
{
    inside = true;
    FILE *file = list_path != NULL ? fopen(list_path, "w") : NULL;
    if (file == NULL)
        return;
    for (uint64_t i = 0; i < calls_count && i < CALLS_MAX; i++)
        fprintf(file, "%s %016llx\n", calls[i].name, (unsigned long long)calls[i].context);
    fclose(file);
}

/* Where in the program the call was made, and which function of a library made it in the end. */
static uint64_t context_of(const char *name)
{
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX);
    uint64_t hash = 14695981039346656037u;
    for (const char *letter = name; *letter != 0; letter++)
        hash = (hash ^ (unsigned char)*letter) * 1099511628211u;
    for (int i = 3; i < count; i++) {
        uintptr_t address = (uintptr_t)frames[i];
        if (i == 3 || (address >= program_begin && address < program_end))
            hash = (hash ^ address) * 1099511628211u;
    }
    return hash;
}

/* Backtraces were loaded by begin(): this one allocates nothing. */
static void on_crash(int signal)
{
    void *frames[FRAMES_MAX];
    int file = open(said_path, O_WRONLY | O_APPEND);
    inside = true;
    if (file >= 0) {
        dprintf(file, "crashed\n");
        backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), file);
        close(file);
    }
    raise(signal); /* as it would have ended: SA_RESETHAND */
}

static void say(const char *name)
{
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER};
    void *frames[FRAMES_MAX];
    int file = said_path != NULL ? open(said_path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0)
        return;
    dprintf(file, "%s\n", name);
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), file);
    close(file);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
}

/* Is this the call that is to fail? */
__attribute__((noinline)) static bool fails(const char *name)
{
    if (!ready || inside)
        return false;
    inside = true;
    uint64_t number = __atomic_add_fetch(&calls_count, 1, __ATOMIC_RELAXED);
    bool now = number == failing_at;
    if (list_path != NULL && number <= CALLS_MAX) {
        calls[number - 1].name = name;
        calls[number - 1].context = context_of(name);
    }
    if (now)
        say(name);
    inside = false;
    return now;
}

/* The same of SQLite's interface, which SQLite calls itself, too. */
#define PROGRAM_FAILS(name)                                                                        \
    ((uintptr_t)__builtin_return_address(0) >= program_begin &&                                    \
     (uintptr_t)__builtin_return_address(0) < program_end && fails(name))

#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (next == NULL) {                                                                            \
        bool was_inside = inside;                                                                  \
        inside = true;                                                                             \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                                        \
        inside = was_inside;                                                                       \
    }

/* ---- memory */

void *malloc(size_t size)
{
    if (fails("malloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (fails("calloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    if (fails("realloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (fails("aligned_alloc")) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = fails("posix_memalign") ? NULL : __libc_memalign(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}

/* ---- files; a call that fails is not made, but that to close */

#define FAILING(type, name, parameters, arguments, failure, number)                                \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name)                                                                                 \
        if (fails(#name)) {                                                                        \
            errno = number;                                                                        \
            return failure;                                                                        \
        }                                                                                          \
        return next arguments;                                                                     \
    }

FAILING(ssize_t, read, (int file, void *to, size_t size), (file, to, size), -1, EIO)
FAILING(ssize_t, pread, (int file, void *to, size_t size, off_t at), (file, to, size, at), -1, EIO)
FAILING(ssize_t, pread64, (int file, void *to, size_t size, off64_t at), (file, to, size, at), -1,
        EIO)
FAILING(ssize_t, write, (int file, const void *from, size_t size), (file, from, size), -1, ENOSPC)
FAILING(ssize_t, pwrite, (int file, const void *from, size_t size, off_t at),
        (file, from, size, at), -1, ENOSPC)
FAILING(ssize_t, pwrite64, (int file, const void *from, size_t size, off64_t at),
        (file, from, size, at), -1, ENOSPC)
FAILING(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count), -1,
        ENOSPC)
FAILING(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t at),
        (file, parts, count, at), -1, ENOSPC)
FAILING(int, fsync, (int file), (file), -1, EIO)
FAILING(int, fdatasync, (int file), (file), -1, EIO)
FAILING(int, ftruncate, (int file, off_t size), (file, size), -1, ENOSPC)
FAILING(int, ftruncate64, (int file, off64_t size), (file, size), -1, ENOSPC)
FAILING(int, fallocate, (int file, int mode, off_t at, off_t size), (file, mode, at, size), -1,
        ENOSPC)
FAILING(int, fallocate64, (int file, int mode, off64_t at, off64_t size), (file, mode, at, size),
        -1, ENOSPC)
FAILING(int, rename, (const char *from, const char *to), (from, to), -1, EACCES)
FAILING(int, link, (const char *from, const char *to), (from, to), -1, EACCES)
FAILING(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, EACCES)
FAILING(int, flock, (int file, int operation), (file, operation), -1, ENOLCK)
FAILING(int, fstat, (int file, struct stat *status), (file, status), -1, EIO)
FAILING(int, stat, (const char *path, struct stat *status), (path, status), -1, EIO)
FAILING(int, lstat, (const char *path, struct stat *status), (path, status), -1, EIO)
FAILING(int, fstat64, (int file, struct stat64 *status), (file, status), -1, EIO)
FAILING(int, stat64, (const char *path, struct stat64 *status), (path, status), -1, EIO)
FAILING(int, lstat64, (const char *path, struct stat64 *status), (path, status), -1, EIO)
FAILING(int, access, (const char *path, int mode), (path, mode), -1, EIO)
FAILING(char *, getcwd, (char *path, size_t size), (path, size), NULL, ENOENT)
FAILING(char *, realpath, (const char *path, char *real), (path, real), NULL, EIO)
FAILING(ssize_t, readlink, (const char *path, char *to, size_t size), (path, to, size), -1, EIO)
FAILING(void *, mmap, (void *at, size_t size, int protection, int flags, int file, off_t offset),
        (at, size, protection, flags, file, offset), MAP_FAILED, ENOMEM)
FAILING(void *, mmap64,
        (void *at, size_t size, int protection, int flags, int file, off64_t offset),
        (at, size, protection, flags, file, offset), MAP_FAILED, ENOMEM)
FAILING(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
FAILING(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
FAILING(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
FAILING(FILE *, fdopen, (int file, const char *mode), (file, mode), NULL, ENOMEM)
FAILING(FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL, ENOMEM)

#define OPENS(name, parameters, arguments)                                                         \
    int name parameters                                                                            \
    {                                                                                              \
        NEXT(name)                                                                                 \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;             \
        va_end(rest);                                                                              \
        if (fails(#name)) {                                                                        \
            errno = EMFILE;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
        return next arguments;                                                                     \
    }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

int close(int file)
{
    NEXT(close)
    bool failing = fails("close");
    int result = next(file);
    if (failing)
        errno = EIO;
    return failing ? -1 : result;
}

int fclose(FILE *file)
{
    NEXT(fclose)
    bool failing = fails("fclose");
    int result = next(file);
    if (failing)
        errno = ENOSPC;
    return failing ? EOF : result;
}

/* What is printed is kept until then. */
int fflush(FILE *file)
{
    NEXT(fflush)
    /* Where nothing is kept nothing can fail. */
    if ((file != NULL && __fpending(file) == 0) || !fails("fflush"))
        return next(file);
    errno = ENOSPC;
    return EOF;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    NEXT(pthread_create)
    return fails("pthread_create") ? EAGAIN : next(thread, attributes, start, argument);
}

/* ---- SQLite: as if it had no memory. Its words for that stay until the next call. */

static __thread bool said_no_memory;
static __thread sqlite3_stmt *failed; /* its next step or reset says so once more */

#define SQLITE_CALL(name, parameters, arguments)                                                   \
    int name parameters                                                                            \
    {                                                                                              \
        NEXT(name)                                                                                 \
        said_no_memory = PROGRAM_FAILS(#name);                                                     \
        return said_no_memory ? SQLITE_NOMEM : next arguments;                                     \
    }

SQLITE_CALL(sqlite3_exec,
            (sqlite3 * database, const char *sql,
             int (*call)(void *context, int count, char **values, char **names), void *context,
             char **problem),
            (database, sql, call, context, problem))
SQLITE_CALL(sqlite3_bind_int, (sqlite3_stmt * statement, int at, int value), (statement, at, value))
SQLITE_CALL(sqlite3_bind_int64, (sqlite3_stmt * statement, int at, sqlite3_int64 value),
            (statement, at, value))
SQLITE_CALL(sqlite3_bind_double, (sqlite3_stmt * statement, int at, double value),
            (statement, at, value))
SQLITE_CALL(sqlite3_bind_null, (sqlite3_stmt * statement, int at), (statement, at))
SQLITE_CALL(sqlite3_bind_text,
            (sqlite3_stmt * statement, int at, const char *text, int size, void (*release)(void *)),
            (statement, at, text, size, release))
SQLITE_CALL(sqlite3_bind_blob,
            (sqlite3_stmt * statement, int at, const void *data, int size, void (*release)(void *)),
            (statement, at, data, size, release))
SQLITE_CALL(sqlite3_bind_value, (sqlite3_stmt * statement, int at, const sqlite3_value *value),
            (statement, at, value))
SQLITE_CALL(sqlite3_backup_step, (sqlite3_backup * backup, int pages), (backup, pages))

int sqlite3_prepare_v2(sqlite3 *database, const char *sql, int size, sqlite3_stmt **statement,
                       const char **tail)
{
    NEXT(sqlite3_prepare_v2)
    said_no_memory = PROGRAM_FAILS("sqlite3_prepare_v2");
    if (!said_no_memory)
        return next(database, sql, size, statement, tail);
    *statement = NULL;
    return SQLITE_NOMEM;
}

int sqlite3_step(sqlite3_stmt *statement)
{
    NEXT(sqlite3_step)
    said_no_memory = (failed == statement && statement != NULL) || PROGRAM_FAILS("sqlite3_step");
    failed = said_no_memory ? statement : failed;
    return said_no_memory ? SQLITE_NOMEM : next(statement);
}

int sqlite3_reset(sqlite3_stmt *statement)
{
    NEXT(sqlite3_reset)
    int result = next(statement);
    said_no_memory = failed == statement && statement != NULL;
    if (said_no_memory)
        failed = NULL;
    return said_no_memory ? SQLITE_NOMEM : result;
}

int sqlite3_finalize(sqlite3_stmt *statement)
{
    NEXT(sqlite3_finalize)
    bool had_failed = failed == statement && statement != NULL;
    if (had_failed)
        failed = NULL;
    int result = next(statement);
    return had_failed ? SQLITE_NOMEM : result;
}

const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int column)
{
    NEXT(sqlite3_column_text)
    if (!PROGRAM_FAILS("sqlite3_column_text"))
        return next(statement, column);
    said_no_memory = true;
    failed = statement;
    return NULL;
}

int sqlite3_errcode(sqlite3 *database)
{
    NEXT(sqlite3_errcode)
    return said_no_memory ? SQLITE_NOMEM : next(database);
}

const char *sqlite3_errmsg(sqlite3 *database)
{
    NEXT(sqlite3_errmsg)
    return said_no_memory ? "out of memory" : next(database);
}
