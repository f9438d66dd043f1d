/* Where the collector's libraries are. */
#ifndef FISQL_CLI_RECORD_COLLECTOR_PLACE_H
#define FISQL_CLI_RECORD_COLLECTOR_PLACE_H

#include <stddef.h>

/* The path of the library of this name: beside the program, or where make install puts it. Returns 0,
 * or 2 after saying that it is missing. */
int collector_find(const char *name, char *path, size_t size);

#endif
