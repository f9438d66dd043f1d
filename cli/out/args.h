/*
 * The arguments of a command: one loop over options, with the messages on wrong ones.
 *
 *     struct args args = {.command = "tree", .help = help, .options = known};
 *     args_begin(&args, argc, argv);
 *     while (args_next(&args))
 *         switch (args.code) {
 *         case DEPTH:
 *             if (!parse(args.value, &depth))
 *                 return args_wrong(&args, "a number from 1 on");
 *         }
 *     path = args_word(&args, "run.db");
 *     return args_end(&args); // ARGS_GO_ON, or the exit status
 *
 * Every command has --help and -h, takes --name VALUE, --name=VALUE and any beginning of a name
 * that is the beginning of no other, options behind words or before them, and -- as their end.
 */
#ifndef FISQL_CLI_OUT_ARGS_H
#define FISQL_CLI_OUT_ARGS_H

#include <getopt.h>
#include <stdbool.h>

struct args_option {
    const char *name; /* without its dashes */
    int code;         /* a letter is also the short option */
    int has_value;    /* false, true or ARGS_OPTIONAL: --name or --name=VALUE */
};

enum { ARGS_OPTIONS_MAX = 40, ARGS_GO_ON = -1, ARGS_OPTIONAL = 2 };

struct args {
    /* Set by the caller. */
    const char *command;               /* for messages */
    const char *help;                  /* what --help prints; NULL: it comes as the code 'h' */
    const char *help_more;             /* and then; NULL = nothing */
    const struct args_option *options; /* end with a NULL name; NULL = none but --help */
    bool program_follows;              /* options end before the first word */
    /* Set by args_next(). */
    int code;
    const char *value; /* borrowed from argv */
    int status;        /* ARGS_GO_ON; else the command is to end with it */
    int at;            /* after the options: the next word in argv */
    /* Private. */
    int argc, count;
    char **argv;
    struct option known[ARGS_OPTIONS_MAX + 2];
    char letters[2 * ARGS_OPTIONS_MAX + 8];
};

void args_begin(struct args *args, int argc, char **argv);

/* Is there another option? If not, words follow, or args->status says how to end. */
bool args_next(struct args *args);

/* Says what the option's value has to be. Returns 2. */
int args_wrong(const struct args *args, const char *wants);

/* How many words are left. */
int args_words(const struct args *args);

/* The next word; `otherwise` if there is none. */
const char *args_word(struct args *args, const char *otherwise);

/* Returns args->status, or 2 after saying that there is a word too many. */
int args_end(const struct args *args);

/* Reads the arguments of a command without options that takes one file: *path stays if none is
 * named. Returns ARGS_GO_ON, or the exit status. */
int args_file_alone(const char *command, const char *help, int argc, char **argv,
                    const char **path);

#endif
