/* Output through $PAGER: see pager.h. */
#include "cli/out/pager.h"
#include "cli/out/interrupts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager_pid;

static void pager_wait(void)
{
    fflush(stdout);
    close(STDOUT_FILENO);
    while (waitpid(pager_pid, NULL, 0) < 0)
        ;
}

/* A shell that cannot find the pager goes on as `cat`: the output is shown all the same. */
static void run_pager(const char *pager)
{
    char *command = NULL;
    interrupts_child();
    if (asprintf(&command, "%s\nif [ $? -eq 127 ]; then exec cat; fi", pager) > 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

bool pager_start(void)
{
    const char *pager = getenv("PAGER");
    int ends[2];
    if (!isatty(STDOUT_FILENO))
        return false;
    bool colour = getenv("NO_COLOR") == NULL;
    if (pager == NULL)
        pager = "less";
    if (*pager == '\0' || strcmp(pager, "cat") == 0 || pipe(ends) != 0)
        return colour;
    setenv("LESS", "FRX", 0);
    pager_pid = fork();
    if (pager_pid == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        run_pager(pager);
    }
    if (pager_pid > 0) {
        signal(SIGPIPE, SIG_IGN); /* quitting the pager is no error */
        dup2(ends[1], STDOUT_FILENO);
        atexit(pager_wait);
    }
    close(ends[0]);
    close(ends[1]);
    return colour;
}
