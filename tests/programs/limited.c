/* Begins anew with little memory for data (RLIMIT_DATA), as many KiB as the first argument says; then returns 5,
 * which a function of its own says. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) int number(int of)
{
    pthread_mutex_lock(&lock);
    int same = of;
    pthread_mutex_unlock(&lock);
    return same;
}

int main(int count, char **words)
{
    if (count < 2)
        return number(5);
    rlim_t bytes = strtoul(words[1], NULL, 10) << 10;
    const struct rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_DATA, &limit) != 0)
        return 1;
    execl(words[0], words[0], (char *)NULL);
    return 2;
}
