/*
 * Programs that were started with our live area in their environment and have not come so far as to
 * open it: posix_spawn(), or vfork() and exec, by a process that has ended since. Nothing else
 * shows that they are about to record.
 */
#ifndef FISQL_CLI_RECORD_LATE_IMAGES_H
#define FISQL_CLI_RECORD_LATE_IMAGES_H

#include <stdbool.h>

/* Is there a young process with this setting ("NAME=VALUE") in its environment? One that has run
 * for two seconds has come so far if it ever will. */
bool late_images(const char *setting);

#endif
