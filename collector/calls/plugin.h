/*
 * `fisql record --plugin FILE.so`: each process loads the library at its start and calls its
 * fisql_plugin(). fisql record has checked the file; what goes wrong all the same (a function that
 * it lacks, another root folder) is printed, and the process runs on.
 *
 * We load it by dlopen(), not by LD_PRELOAD: programs that cannot be recorded (32-bit, static)
 * never hear of it, and it defines nothing in place of the program's own functions.
 */
#ifndef FISQL_COLLECTOR_CALLS_PLUGIN_H
#define FISQL_COLLECTOR_CALLS_PLUGIN_H

/* Call it once, in a constructor of a recorded process: the program's libraries are there, and
 * perhaps some of their constructors have run. What the library does in it is not recorded. Nothing
 * happens in programs that hold the collector. */
void plugin_start(void);

#endif
