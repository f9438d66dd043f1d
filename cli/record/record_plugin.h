/* `fisql record --plugin FILE.so`: a library that each recorded process loads at its start. */
#ifndef FISQL_CLI_RECORD_RECORD_PLUGIN_H
#define FISQL_CLI_RECORD_RECORD_PLUGIN_H

#include "cli/record/record_options.h"

/* Checks the plugin for this program. options->libs.plugin becomes its absolute path. Returns 0, or 2
 * after saying what is wrong with it or with the program. */
int record_plugin_check(struct record_options *options, const char *program);

#endif
