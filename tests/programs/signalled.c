/* Counts the signals that it gets in some seconds, or until SIGPWR, and prints them by number.
 * "ready" is printed once they are counted, "got NUMBER" at each one. Arguments: seconds, and
 * `plain` to leave every signal as it was. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned counts[65];
static volatile long values;
static volatile sig_atomic_t done;

static void say_got(int number)
{
    char line[] = "got ..\n";
    line[4] = (char)('0' + number / 10);
    line[5] = (char)('0' + number % 10);
    if (write(STDOUT_FILENO, line, sizeof line - 1) < 0)
        abort();
}

static void count(int number, siginfo_t *info, void *context)
{
    (void)context;
    say_got(number);
    counts[number]++;
    if (info->si_code == SI_QUEUE)
        values += info->si_value.sival_int;
    if (number == SIGPWR)
        done = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO};
    for (int number = 1; number < 65; number++)
        if (argc < 3 && number != SIGTSTP && number != SIGTTIN && number != SIGTTOU)
            sigaction(number, &action, NULL);
    puts("ready");
    fflush(stdout);
    for (double end = now() + atof(argv[1]); now() < end && !done;)
        poll(NULL, 0, 10);
    for (int number = 1; number < 65; number++)
        if (counts[number] != 0 && number != SIGPWR)
            printf("%d:%u ", number, counts[number]);
    printf("values:%ld\n", values);
    return 7;
}
