/* The arguments of a command: see args.h. */
#include "cli/out/args.h"

#include "base/must.h"
#include "cli/out/say.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS = 256 }; /* codes below are letters, too */

static void add(struct args *args, char **letters, const struct args_option *option)
{
    must(args->count <= ARGS_OPTIONS_MAX);
    int has_value = option->has_value == ARGS_OPTIONAL ? optional_argument
                    : option->has_value                ? required_argument
                                                       : no_argument;
    args->known[args->count++] = (struct option){option->name, has_value, NULL, option->code};
    if (option->code >= LETTERS)
        return;
    *(*letters)++ = (char)option->code;
    if (option->has_value)
        *(*letters)++ = ':';
}

void args_begin(struct args *args, int argc, char **argv)
{
    static const struct args_option help = {"help", 'h', false};
    char *letters = args->letters;
    args->argc = argc;
    args->argv = argv;
    args->status = ARGS_GO_ON;
    args->count = 0;
    if (args->program_follows)
        *letters++ = '+';
    *letters++ = ':'; /* distinguishes a missing value from an unknown option */
    add(args, &letters, &help);
    for (const struct args_option *at = args->options; at != NULL && at->name != NULL; at++)
        add(args, &letters, at);
    *letters = '\0';
    args->known[args->count] = (struct option){NULL, 0, NULL, 0};
    optind = 0; /* getopt begins with this argv */
    opterr = 0;
}

/* ---- what is wrong ---- */

static int no_such_letter(const struct args *args, int letter)
{
    char text[2] = {(char)letter, '\0'};
    return fail("%s: -%s: no such option; see `fisql %s --help`", args->command, text,
                args->command);
}

static int no_such_option(const struct args *args, const char *text)
{
    char word[256], several[512] = "";
    const char *names[ARGS_OPTIONS_MAX + 1];
    size_t length = strcspn(text + 2, "="), used = 0;
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
             text + 2);
    for (int i = 0; i < args->count; i++) {
        names[i] = args->known[i].name;
        if (length > 0 && strncmp(names[i], word, length) == 0 && used < sizeof several)
            used += (size_t)snprintf(several + used, sizeof several - used, "%s--%s",
                                     used > 0 ? ", " : "", names[i]);
    }
    if (used > 0)
        return fail("%s: --%s: is short for several options: %s", args->command, word, several);
    const char *nearest = nearest_name(word, names, (size_t)args->count);
    if (nearest != NULL)
        return fail("%s: --%s: no such option; did you mean --%s?", args->command, word, nearest);
    return fail("%s: --%s: no such option; see `fisql %s --help`", args->command, word,
                args->command);
}

/* The option's name, with its dashes, for messages. */
static const char *name_of(const struct args *args, int code, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < args->count; i++)
        if (args->known[i].val == code)
            snprintf(text, size, "--%s", args->known[i].name);
    return text;
}

static int wrong(const struct args *args, int code)
{
    char name[64];
    if (code == ':')
        return fail("%s: %s: wants a value; see `fisql %s --help`", args->command,
                    name_of(args, optopt, name, sizeof name), args->command);
    if (optopt == 0)
        return no_such_option(args, args->argv[optind - 1]);
    name_of(args, optopt, name, sizeof name);
    return name[0] != '\0' ? fail("%s: %s: takes no value", args->command, name)
                           : no_such_letter(args, optopt);
}

int args_wrong(const struct args *args, const char *wants)
{
    char name[64];
    return fail("%s %s: wants %s", name_of(args, args->code, name, sizeof name), args->value,
                wants);
}

/* ---- going on ---- */

bool args_next(struct args *args)
{
    args->code = getopt_long(args->argc, args->argv, args->letters, args->known, NULL);
    args->value = optarg;
    args->at = optind;
    if (args->code == '?' || args->code == ':')
        args->status = wrong(args, args->code);
    else if (args->code == 'h' && args->help != NULL)
        args->status = fputs(args->help, stdout) >= 0 &&
                               fputs(args->help_more != NULL ? args->help_more : "", stdout) >= 0
                           ? 0
                           : 2;
    return args->code != -1 && args->status == ARGS_GO_ON;
}

int args_words(const struct args *args)
{
    return args->argc - args->at;
}

const char *args_word(struct args *args, const char *otherwise)
{
    if (args->status != ARGS_GO_ON || args->at >= args->argc)
        return otherwise;
    return args->argv[args->at++];
}

int args_end(const struct args *args)
{
    if (args->status == ARGS_GO_ON && args->at < args->argc)
        return fail("%s: %s: one argument too many; see `fisql %s --help`", args->command,
                    args->argv[args->at], args->command);
    return args->status;
}

int args_file_alone(const char *command, const char *help, int argc, char **argv, const char **path)
{
    struct args args = {.command = command, .help = help};
    args_begin(&args, argc, argv);
    while (args_next(&args))
        continue;
    *path = args_word(&args, *path);
    return args_end(&args);
}
