/* The names of the functions that an answer speaks of. */
#ifndef FISQL_CLI_SERVE_FUNCTION_NAMES_H
#define FISQL_CLI_SERVE_FUNCTION_NAMES_H

#include "base/intern.h"
#include "cli/serve/quick.h"

/* Writes "key": [[id, name, own], ...]; the first keys of `functions` are functions.id. */
void function_names_write(struct quick *quick, const char *key, const struct intern *functions);

#endif
