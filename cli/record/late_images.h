/*
 * Finds programs that were started with our live area in their environment and have not opened it
 * yet: by posix_spawn(), or vfork() and exec, in a process that has ended since. Nothing else shows
 * that they are about to record.
 */
#ifndef FISQL_CLI_RECORD_LATE_IMAGES_H
#define FISQL_CLI_RECORD_LATE_IMAGES_H

#include <stdbool.h>

/* Does a young process have this setting ("NAME=VALUE") in its environment? A program that has run
 * for two seconds has opened the area if it ever will. */
bool late_images(const char *setting);

#endif
