/* The option --color of commands that print for people. */
#ifndef FISQL_CLI_OUT_COLOUR_H
#define FISQL_CLI_OUT_COLOUR_H

#include "cli/out/args.h"

#include <stdbool.h>

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

#define COLOUR_HELP "auto, always or never (auto: on a terminal)"

/* Reads the option's value. Returns 0, or 2 after saying what it has to be. */
int colour_parse(const struct args *args, enum colour *colour);

/* Starts the pager. Returns whether to print in colours. */
bool colour_start(enum colour colour);

#endif
