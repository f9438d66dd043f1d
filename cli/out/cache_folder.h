/* Where fisql keeps what it found out about modules: the user's cache folder. */
#ifndef FISQL_CLI_OUT_CACHE_FOLDER_H
#define FISQL_CLI_OUT_CACHE_FOLDER_H

#include <stddef.h>

/* Its path in `path`, which it returns; NULL where there is none. Makes the folder that it lies in. */
const char *cache_folder(char *path, size_t size);

#endif
