/* What a test with hostile names looks at while it runs: two threads in a deadlock ("lock"), a call that lasts
 * ("wait"), a crash ("crash"), a diary that is told ("tell"). The test gives the functions and this file their
 * names; the threads' names are here. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fisql.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static int *volatile nowhere;

void named_wait(unsigned seconds);
void named_long(void);
void named_crash(void);
void named_tell(void);
void *named_take(void *other);

void named_wait(unsigned seconds)
{
    puts("ready");
    fflush(stdout);
    sleep(seconds);
}

void named_long(void)
{
    named_wait(60);
}

void named_crash(void)
{
    *nowhere = 1;
}

void named_tell(void)
{
    FISQL_KEEP(&first, "made\033[31m\xc2\x9b\nfisql: forged");
    FISQL_TELL(&first);
}

void *named_take(void *other)
{
    pthread_setname_np(pthread_self(), "t\033[31m\nforged");
    pthread_mutex_lock(other != NULL ? &second : &first);
    pthread_barrier_wait(&both);
    if (other != NULL) {
        puts("ready");
        fflush(stdout);
    }
    pthread_mutex_lock(other != NULL ? &first : &second);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t id;
    const char *what = argc > 1 ? argv[1] : "";
    pthread_setname_np(pthread_self(), "m\033]0;x\007\xff\xc2\x9b");
    if (strcmp(what, "crash") == 0)
        named_crash();
    if (strcmp(what, "tell") == 0)
        named_tell();
    if (strcmp(what, "lock") == 0) {
        pthread_barrier_init(&both, NULL, 2);
        pthread_create(&id, NULL, named_take, NULL);
        named_take(&second);
    }
    if (strcmp(what, "wait") == 0)
        named_long();
    return 0;
}
