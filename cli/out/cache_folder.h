/* The user's cache folder, where fisql keeps what it found out about modules. */
#ifndef FISQL_CLI_OUT_CACHE_FOLDER_H
#define FISQL_CLI_OUT_CACHE_FOLDER_H

#include <stddef.h>

/* Writes its path to `path` and returns it; NULL if there is none. Makes the folder around it. */
const char *cache_folder(char *path, size_t size);

#endif
