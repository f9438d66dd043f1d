/*
 * The ways to run another program, and to change the user or root folder: we interpose them so that
 * the new program is recorded, too, or reported (children.h). Its arguments and environment pass
 * through unchanged unless something must change; then we change a copy of the environment's
 * pointers, on the stack.
 *
 * system() and popen() start a shell with the process's own environment: if that must change, we
 * replace `environ` during their call.
 *
 * In a program with libfisql.a the linker wraps these functions, like longjmp (interpose.c).
 */
#include "collector/process/exec.h"

#include "collector/core/base.h"
#include "collector/process/children.h"
#include "collector/process/image.h"
#include "collector/core/wrap.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES_MAX 65536u
#define PATH_BYTES 4096u

/* ---- the real functions ---- */

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

#define FUNCTIONS(X)                                                                               \
    X(int, execve, (const char *path, char *const arguments[], char *const environment[]))         \
    X(int, execvpe, (const char *file, char *const arguments[], char *const environment[]))        \
    X(int, fexecve, (int file, char *const arguments[], char *const environment[]))                \
    X(int, posix_spawn,                                                                            \
      (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,                   \
       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]))   \
    X(int, posix_spawnp,                                                                           \
      (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,                   \
       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]))   \
    X(int, system, (const char *command))                                                          \
    X(FILE *, popen, (const char *command, const char *mode))                                      \
    X(int, setuid, (uid_t user))                                                                   \
    X(int, seteuid, (uid_t user))                                                                  \
    X(int, setreuid, (uid_t real, uid_t effective))                                                \
    X(int, setresuid, (uid_t real, uid_t effective, uid_t saved))                                  \
    X(int, chroot, (const char *path))

#ifdef FISQL_WRAP
#define NEXT(name) __real_##name
#define DECLARE(type, name, parameters) extern type __real_##name parameters;
FUNCTIONS(DECLARE)
#else
#define NEXT(name) real.name
#define DECLARE(type, name, parameters) type(*name) parameters;
static struct {
    FUNCTIONS(DECLARE)
} real;

/* At start, because dlsym() must not be called where exec may be. */
static __attribute__((constructor)) void exec_setup(void)
{
#define RESOLVE(type, name, parameters)                                                            \
    if (real.name == NULL)                                                                         \
        FIND(name, real.name);
    FUNCTIONS(RESOLVE)
}
#endif

/* A constructor may call us before ours has run. */
static void ready(void)
{
#ifndef FISQL_WRAP
    if (UNLIKELY(real.chroot == NULL))
        exec_setup();
#endif
}

/* ---- exec ---- */

/* A program: by path from a folder (empty: the folder's descriptor is the file), or through
 * PATH. */
struct target {
    enum { BY_PATH, BY_NAME, BY_FILE, FROM_FOLDER } how;
    int folder, flags;
    const char *path;
};

static __attribute__((noinline)) void prepare(struct child *child, const struct target *target,
                                              char *const *environment)
{
    char found[PATH_BYTES];
    const char *path = target->path;
    if (target->how == BY_NAME && strchr(path, '/') == NULL && !silent())
        path = image_find(path, found, sizeof found) ? found : "";
    child_prepare(child, target->folder, path, environment);
}

static int run(const struct target *target, char *const arguments[], char *const environment[])
{
    switch (target->how) {
    case BY_PATH:
        return NEXT(execve)(target->path, arguments, environment);
    case BY_NAME:
        return NEXT(execvpe)(target->path, arguments, environment);
    case BY_FILE:
        return NEXT(fexecve)(target->folder, arguments, environment);
    default:
        return (int)syscall(SYS_execveat, target->folder, target->path, arguments, environment,
                            target->flags);
    }
}

static int run_prepared(const struct target *target, char *const arguments[],
                        char *const environment[])
{
    struct child child;
    ready();
    prepare(&child, target, environment);
    size_t bytes = child_environment_bytes(&child, environment);
    if (bytes == 0) {
        run(target, arguments, environment);
    } else if (bytes <= STACK_BYTES_MAX) {
        run(target, arguments, child_environment(&child, environment, alloca(bytes)));
    } else {
        void *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        run(target, arguments,
            memory != MAP_FAILED ? child_environment(&child, environment, memory) : environment);
        int error = errno;
        if (memory != MAP_FAILED)
            munmap(memory, bytes);
        errno = error;
    }
    child_release(&child, false);
    return -1;
}

#define BY(kind, program) (&(struct target){.how = kind, .folder = AT_FDCWD, .path = program})

REPLACE(int, execve, (const char *path, char *const arguments[], char *const environment[]))
{
    return exec_called(path, arguments, environment);
}

REPLACE(int, execv, (const char *path, char *const arguments[]))
{
    return run_prepared(BY(BY_PATH, path), arguments, environ);
}

REPLACE(int, execvp, (const char *file, char *const arguments[]))
{
    return run_prepared(BY(BY_NAME, file), arguments, environ);
}

REPLACE(int, execvpe, (const char *file, char *const arguments[], char *const environment[]))
{
    return run_prepared(BY(BY_NAME, file), arguments, environment);
}

REPLACE(int, fexecve, (int file, char *const arguments[], char *const environment[]))
{
    struct target target = {.how = BY_FILE, .folder = file, .path = ""};
    return run_prepared(&target, arguments, environment);
}

REPLACE(int, execveat,
        (int folder, const char *path, char *const arguments[], char *const environment[],
         int flags))
{
    struct target target = {.how = FROM_FOLDER, .folder = folder, .flags = flags, .path = path};
    return run_prepared(&target, arguments, environment);
}

int exec_called(const char *path, char *const arguments[], char *const environment[])
{
    return run_prepared(BY(BY_PATH, path), arguments, environment);
}

/* Copies the arguments of execl() and the like, with the null pointer, to the stack. */
#define COLLECT(arguments, list, first)                                                            \
    size_t count = 1;                                                                              \
    va_start(list, first);                                                                         \
    while (va_arg(list, char *) != NULL)                                                           \
        count++;                                                                                   \
    va_end(list);                                                                                  \
    char **arguments = alloca((count + 1) * sizeof *arguments);                                    \
    va_start(list, first);                                                                         \
    (arguments)[0] = (char *)(uintptr_t)(first);                                                   \
    for (size_t i = 1; i <= count; i++)                                                            \
        (arguments)[i] = va_arg(list, char *);

REPLACE(int, execl, (const char *path, const char *first, ...))
{
    va_list list;
    COLLECT(arguments, list, first)
    va_end(list);
    return run_prepared(BY(BY_PATH, path), arguments, environ);
}

REPLACE(int, execlp, (const char *file, const char *first, ...))
{
    va_list list;
    COLLECT(arguments, list, first)
    va_end(list);
    return run_prepared(BY(BY_NAME, file), arguments, environ);
}

REPLACE(int, execle, (const char *path, const char *first, ...))
{
    va_list list;
    COLLECT(arguments, list, first)
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return run_prepared(BY(BY_PATH, path), arguments, environment);
}

/* ---- spawn ---- */

static int spawn(spawn_function *next, const struct target *target, pid_t *pid,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const arguments[], char *const environment[])
{
    struct child child;
    int result;
    prepare(&child, target, environment);
    size_t bytes = child_environment_bytes(&child, environment);
    if (bytes == 0) {
        result = next(pid, target->path, actions, attributes, arguments, environment);
    } else if (bytes <= STACK_BYTES_MAX) {
        result = next(pid, target->path, actions, attributes, arguments,
                      child_environment(&child, environment, alloca(bytes)));
    } else {
        void *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        result = next(pid, target->path, actions, attributes, arguments,
                      memory != MAP_FAILED ? child_environment(&child, environment, memory)
                                           : environment);
        if (memory != MAP_FAILED)
            munmap(memory, bytes);
    }
    child_release(&child, result == 0);
    return result;
}

REPLACE(int, posix_spawn,
        (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]))
{
    ready();
    return spawn(NEXT(posix_spawn), BY(BY_PATH, path), pid, actions, attributes, arguments,
                 environment);
}

REPLACE(int, posix_spawnp,
        (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]))
{
    ready();
    return spawn(NEXT(posix_spawnp), BY(BY_NAME, file), pid, actions, attributes, arguments,
                 environment);
}

/* ---- the shell ---- */

/* Replaces the process's environment while a shell is started. */
struct shell {
    struct child child;
    char **own, **changed; /* changed: NULL = own needs no change */
    size_t bytes;          /* of one of the two copies */
    size_t entries_bytes;
};

static void shell_begin(struct shell *shell)
{
    int error = errno;
    *shell = (struct shell){.own = environ};
    child_prepare(&shell->child, AT_FDCWD, "/bin/sh", environ);
    size_t bytes = child_environment_bytes(&shell->child, environ);
    if (bytes != 0) {
        void *memory =
            mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED) {
            shell->bytes = bytes;
            shell->changed = child_environment(&shell->child, environ, memory);
            memcpy((char *)memory + bytes, memory, bytes);
            environ = shell->changed;
        }
    }
    errno = error;
}

/* Another thread may have called setenv() meanwhile: then we keep its changes. */
static void shell_end(struct shell *shell, bool started)
{
    int error = errno;
    if (shell->changed != NULL && environ == shell->changed &&
        memcmp(shell->changed, (char *)shell->changed + shell->bytes, shell->bytes) == 0) {
        environ = shell->own;
        munmap(shell->changed, 2 * shell->bytes);
    }
    child_release(&shell->child, started);
    errno = error;
}

REPLACE(int, system, (const char *command))
{
    struct shell shell;
    ready();
    if (command == NULL)
        return NEXT(system)(command);
    shell_begin(&shell);
    int result = NEXT(system)(command);
    shell_end(&shell, result != -1);
    return result;
}

REPLACE(FILE *, popen, (const char *command, const char *mode))
{
    struct shell shell;
    ready();
    shell_begin(&shell);
    FILE *result = NEXT(popen)(command, mode);
    shell_end(&shell, result != NULL);
    return result;
}

/* ---- another user, another root folder ---- */

static void before_user(uid_t user)
{
    if (user != (uid_t)-1 && user != geteuid())
        children_keep();
}

#define CHANGES_USER(name, parameters, arguments, user)                                            \
    REPLACE(int, name, parameters)                                                                 \
    {                                                                                              \
        ready();                                                                                   \
        before_user(user);                                                                         \
        return NEXT(name) arguments;                                                               \
    }

CHANGES_USER(setuid, (uid_t user), (user), user)
CHANGES_USER(seteuid, (uid_t user), (user), user)
CHANGES_USER(setreuid, (uid_t first, uid_t effective), (first, effective), effective)
CHANGES_USER(setresuid, (uid_t first, uid_t effective, uid_t saved), (first, effective, saved),
             effective)

REPLACE(int, chroot, (const char *path))
{
    ready();
    children_keep();
    return NEXT(chroot)(path);
}
