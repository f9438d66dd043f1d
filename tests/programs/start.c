/* Runs each of its arguments by system(), or by popen() if that is the first argument, and says how
 * it ended. With "root FOLDER" in front it changes its root folder before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_system(const char *command)
{
    return system(command);
}

static int by_popen(const char *command)
{
    char line[4096];
    FILE *output = popen(command, "r");
    while (output != NULL && fgets(line, sizeof line, output) != NULL)
        fputs(line, stdout);
    return output != NULL ? pclose(output) : -1;
}

int main(int argc, char **argv)
{
    int (*run)(const char *) = by_system;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "popen") == 0) {
            run = by_popen;
        } else if (strcmp(argv[i], "root") == 0) {
            if (chroot(argv[++i]) != 0 || chdir("/") != 0)
                perror("chroot");
        } else {
            int status = run(argv[i]);
            printf("%s: %d\n", argv[i], WIFEXITED(status) ? WEXITSTATUS(status) : -1);
            fflush(stdout);
        }
    }
    return 0;
}
