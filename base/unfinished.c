/* Files that are being made: see unfinished.h. */
#include "base/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { FILES_MAX = 80 }; /* a database or outputs, and a cache entry for each loading thread */

/* Guarded by `changing`, which we hold with signals blocked: a handler in another thread waits for
 * it, none runs in our own. */
static char files[FILES_MAX][PATH_MAX]; /* "" = free */
static bool changing;                   /* atomic */

static void change_begin(sigset_t *mask)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, mask);
    while (__atomic_exchange_n(&changing, true, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void change_end(const sigset_t *mask)
{
    __atomic_store_n(&changing, false, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

static char *find(const char *path)
{
    for (int i = 0; i < FILES_MAX; i++)
        if (strcmp(files[i], path) == 0)
            return files[i];
    return NULL;
}

static bool has_acl(const char *path)
{
    return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* The permissions that each source gives to the group and to the others of the new file. */
static mode_t shared_mode(const char *path, const struct stat *made, const char *const *sources,
                          size_t sources_count)
{
    mode_t mode = 0066;
    for (size_t i = 0; i < sources_count; i++) {
        struct stat source;
        if (stat(sources[i], &source) != 0)
            return 0;
        mode_t others = source.st_mode & 0006, group = source.st_mode & 0060;
        if (source.st_gid != made->st_gid || has_acl(sources[i]))
            group &= others << 3; /* its group may be among the others of the source */
        mode &= group | others;
    }
    if (has_acl(path))
        mode &= 0006; /* group permissions are the mask of the folder's ACL */
    return mode;
}

int unfinished_open(const char *path, const char *const *sources, size_t sources_count)
{
    sigset_t mask;
    struct stat status;
    int file = -1, error = 0;
    change_begin(&mask);
    char *place = find("");
    if (place == NULL || strlen(path) >= PATH_MAX)
        errno = place == NULL ? EMFILE : ENAMETOOLONG;
    else
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    error = errno;
    if (file >= 0)
        strcpy(place, path);
    change_end(&mask);
    if (file >= 0 && sources_count > 0 && fstat(file, &status) == 0) {
        mode_t hidden = umask(077);
        umask(hidden);
        mode_t given = shared_mode(path, &status, sources, sources_count) & ~hidden;
        if (given != 0)
            (void)fchmod(file, 0600 | given); /* if that fails, only the owner can read it */
    }
    errno = error;
    return file;
}

int unfinished_publish(const char *path, const char *name)
{
    sigset_t mask;
    change_begin(&mask);
    int result = rename(path, name), error = errno;
    char *place = find(path);
    if (result == 0 && place != NULL)
        place[0] = '\0';
    change_end(&mask);
    errno = error;
    return result;
}

void unfinished_remove(const char *path)
{
    sigset_t mask;
    change_begin(&mask);
    char *place = find(path);
    unlink(path);
    if (place != NULL)
        place[0] = '\0';
    change_end(&mask);
}

void unfinished_remove_all(void)
{
    while (__atomic_exchange_n(&changing, true, __ATOMIC_ACQUIRE))
        sched_yield();
    for (int i = 0; i < FILES_MAX; i++)
        if (files[i][0] != '\0')
            unlink(files[i]);
}
