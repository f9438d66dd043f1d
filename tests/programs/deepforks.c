/* Calls deeper than a snapshot shows, and a child that goes on from there.
 *   deepforks fork DEPTH    forks DEPTH calls deep; parent and child return from all of them
 *   deepforks deep DEPTH    calls leaf often DEPTH calls deep, then returns from all of them
 *   deepforks own           a child that calls leaf often within what its parent had open
 * Each process prints its number and its calls, counted by itself. */
#include "count.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
COUNTED_NAMES;
static int child;

__attribute__((noinline)) static void leaf(void)
{
    COUNT();
}
__attribute__((noinline)) static void work(int times)
{
    COUNT();
    for (int i = 0; i < times; i++)
        leaf();
}
PLAIN static void begin_child(void)
{
    child = fork() == 0;
    if (child)
        memset(counted_names, 0, sizeof counted_names);
}
__attribute__((noinline)) static void down(int depth, const char *what)
{
    COUNT();
    if (depth > 0)
        down(depth - 1, what);
    else if (strcmp(what, "fork") == 0)
        begin_child();
    else
        work(300000);
    leaf();
}
int main(int argc, char **argv)
{
    COUNT();
    const char *what = argc > 1 ? argv[1] : "fork";
    if (strcmp(what, "own") != 0)
        down(argc > 2 ? atoi(argv[2]) : 400, what);
    else
        begin_child();
    if (strcmp(what, "own") == 0 && child)
        work(300000);
    if (!child)
        while (wait(NULL) > 0)
            ;
    leaf();
    printf("%d\n", (int)getpid());
    report();
    return 0;
}
