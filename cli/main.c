/* fisql: the command line. See commands.h for the list of commands. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name, *arguments, *what;
    int (*run)(int argc, char **argv);
};

#define COMMAND(name, arguments, what) {#name, arguments, what, cmd_##name},
static const struct command commands[] = {FISQL_COMMANDS(COMMAND){NULL, NULL, NULL, NULL}};
#undef COMMAND

static int help(FILE *out)
{
    fputs("usage: fisql COMMAND [ARGUMENT...]\n"
          "\n"
          "Records every function call and heap allocation of a C or C++ program, loads them into\n"
          "a SQLite database, and answers questions about how the program really ran.\n"
          "\n",
          out);
    for (const struct command *command = commands; command->name != NULL; command++)
        fprintf(out, "  fisql %-7s%-28s %s\n", command->name, command->arguments, command->what);
    fputs("\n`fisql COMMAND --help` explains a command.\n"
          "\n"
          "example: fisql cc gcc -O2 -o sort sort.c\n"
          "         fisql record ./sort numbers.txt\n"
          "         fisql load run.bin\n"
          "         fisql query hot-functions\n",
          out);
    return out == stdout && fflush(out) != 0 ? 2 : 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(stdout);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        puts("fisql " FISQL_VERSION);
        return fflush(stdout) != 0 ? 2 : 0;
    }
    for (const struct command *command = commands; command->name != NULL; command++)
        if (strcmp(argv[1], command->name) == 0)
            return command->run(argc - 1, argv + 1);
    fprintf(stderr, "fisql: %s: no such command; see `fisql --help`\n", argv[1]);
    return 2;
}
