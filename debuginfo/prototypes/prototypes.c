/* See prototypes.h. */
#include "debuginfo/prototypes/prototypes.h"

#include "base/installed.h"
#include "debuginfo/elf/elf_dynamic.h"

#include <stdio.h>
#include <string.h>

/* A library's file by its name for the dynamic linker, up to `.so`. Before 2.34 glibc had more of
 * them; musl's only one is called by its machine, too. */
static const struct {
    const char *library, *file;
} files[] = {{"libc", "c"},
             {"libm", "c"},
             {"libpthread", "c"},
             {"librt", "c"},
             {"libdl", "c"},
             {"libresolv", "c"},
             {"libcrypt", "c"},
             {"libutil", "c"},
             {"libc.musl-x86_64", "c"},
             {"libz", "z"},
             {"libsqlite3", "sqlite3"},
             {"libssl", "ssl"},
             {"libcrypto", "ssl"}};

/* The path of a library's file. */
static bool find(const struct elf_file *library, char *path, size_t size)
{
    struct elf_dynamic dynamic;
    elf_dynamic_read(&dynamic, library);
    const char *name = elf_dynamic_text(&dynamic, dynamic.values[DT_SONAME]);
    const char *end = name != NULL ? strstr(name, ".so") : NULL;
    if (end == NULL || dynamic.values[DT_SONAME] == 0)
        return false;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strlen(files[i].library) == (size_t)(end - name) &&
            strncmp(files[i].library, name, (size_t)(end - name)) == 0) {
            char file[64];
            snprintf(file, sizeof file, "prototypes/%s", files[i].file);
            return installed_find(file, path, size);
        }
    return false;
}

bool prototypes_known(const struct elf_file *library, const struct symbols_options *options)
{
    char path[4096];
    return options->external && find(library, path, sizeof path);
}

bool prototypes_lender_find(struct prototypes_lender *lender, const struct elf_file *library,
                            const struct symbols_options *options)
{
    *lender = (struct prototypes_lender){.prefix = PROTOTYPES_PREFIX};
    if (options->external && find(library, lender->path, sizeof lender->path))
        return true;
    lender->prefix = NULL;
    lender->options = *options;
    return options->declared_by != NULL &&
           (size_t)snprintf(lender->path, sizeof lender->path, "%s", options->declared_by) <
               sizeof lender->path;
}
