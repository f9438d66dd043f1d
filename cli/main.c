/* The fisql program: finds the command (commands.h) and runs it. */
#include "cli/commands.h"
#include "cli/out/say.h"
#include "cli/out/interrupts.h"
#include "cli/run/database.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
    const char *name, *arguments, *what;
    int (*run)(int argc, char **argv); /* NULL = not built in */
};

#define COMMAND(name, arguments, what) {#name, arguments, what, cmd_##name},
static const struct command commands[] = {FISQL_COMMANDS(COMMAND)};
#undef COMMAND
enum { COMMANDS_COUNT = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS_COUNT; i++) {
        if (commands[i].run != NULL && strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int fail_unknown_command(const char *name)
{
    const char *names[COMMANDS_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COMMANDS_COUNT; i++) {
        if (commands[i].run != NULL)
            names[count++] = commands[i].name;
    }
    const char *nearest = nearest_name(name, names, count);
    if (nearest != NULL)
        return fail("%s: no such command; did you mean %s? `fisql help` lists them", name, nearest);
    return fail("%s: no such command; `fisql help` lists them", name);
}

static void print_overview(FILE *out)
{
    fputs(
        "usage: fisql COMMAND [ARGUMENT...]\n"
        "\n"
        "Records every function call and heap allocation of a native program, as it is or built\n"
        "with hooks (`fisql cc`), loads them into a SQLite database, and answers questions about\n"
        "how the program really ran.\n"
        "\n",
        out);
    for (size_t i = 0; i < COMMANDS_COUNT; i++) {
        if (commands[i].run != NULL)
            fprintf(out, "  fisql %-8s%-28s %s\n", commands[i].name, commands[i].arguments,
                    commands[i].what);
    }
    fputs("\n`fisql COMMAND --help` explains a command.\n"
          "\n"
          "example: fisql cc gcc -O2 -o sort sort.c\n"
          "         fisql run ./sort numbers.txt\n"
          "         fisql query hot-functions\n",
          out);
}

int cmd_help(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_overview(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--list") == 0) { /* for the completion and the man page */
        for (size_t i = 0; i < COMMANDS_COUNT; i++) {
            if (commands[i].run != NULL)
                printf("%s\t%s\t%s\n", commands[i].name, commands[i].what, commands[i].arguments);
        }
        return 0;
    }
    const struct command *command = find_command(argv[1]);
    if (command == NULL)
        return fail_unknown_command(argv[1]);
    char help[] = "--help", *arguments[] = {argv[1], help, NULL};
    return command->run(2, arguments);
}

int cmd_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("fisql " FISQL_VERSION);
    return 0;
}

/* Output that could not be written is a failure. A reader that has gone away is no failure of ours,
 * but the status still says that the output is incomplete. */
static int finish_output(int status)
{
    int problem = flush_output();
    if (problem == 0)
        return status;
    if (problem == EPIPE)
        return 2;
    return fail("standard output: %s: the output is not complete", strerror(problem));
}

/* A file that we open must not get the number of a standard descriptor that was closed: messages
 * would go into it. What we open in its place can be neither read nor written, like a closed one,
 * and the programs that we start do not inherit it. */
static void keep_standard_descriptors(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", (file == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
    keep_standard_descriptors();
    if (argc < 2) {
        print_overview(stderr);
        return 2;
    }
    interrupts_begin();
    /* sqlite3 need not count its bytes, under a lock, at each block */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    /* for the width of characters on a terminal; nothing else depends on the locale */
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        setlocale(LC_CTYPE, "");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0)
        name = "version";
    const struct command *command = find_command(name);
    if (command == NULL)
        return fail_unknown_command(name);
    int status = command->run(argc - 1, argv + 1);
    /* The program's, or that of a database which is whole. */
    bool own = command->run == cmd_record || command->run == cmd_run || command->run == cmd_load;
    return finish_output(own ? status : database_status(status));
}
