/* Checks a plugin before the program runs: see record_plugin.h. */
#include "cli/record/record_plugin.h"

#include "cli/out/say.h"
#include "cli/record/program_file.h"
#include "debuginfo/elf/elf_file.h"
#include "formats/live_calls.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION "fisql_plugin"
_Static_assert(FISQL_CALLS_PLUGIN_MAX >= PATH_MAX, "each path has room");

static int is_function(void *context, const struct elf_symbol *symbol)
{
    (void)context;
    return symbol->global && strcmp(symbol->name, FUNCTION) == 0;
}

/* A position-independent program is of a library's type, too, but names its dynamic linker. */
static bool is_program(const struct elf_file *file)
{
    for (uint16_t i = 0; i < file->segments_count; i++)
        if (elf_file_segment(file, i).p_type == PT_INTERP)
            return true;
    return false;
}

static int check_file(const char *path)
{
    struct elf_file file, own;
    int result = 0;
    const char *problem = elf_file_open(&file, path);
    bool other = elf_file_open(&own, "/proc/self/exe") == NULL && problem == NULL &&
                 own.machine != file.machine;
    if (problem != NULL)
        result =
            fail("--plugin %s: %s: it must be a shared library (cc -shared -fPIC)", path, problem);
    else if (file.type != ET_DYN || is_program(&file))
        result = fail("--plugin %s: not a shared library: build it with cc -shared -fPIC", path);
    else if (other)
        result = fail("--plugin %s: it is for another kind of machine", path);
    else if (elf_file_functions(&file, SHT_DYNSYM, is_function, NULL) == 0)
        result = fail("--plugin %s: it exports no function " FUNCTION
                      "(void), which fisql calls at each process's start (in C++: extern \"C\")",
                      path);
    elf_file_close(&file);
    elf_file_close(&own);
    return result;
}

static int check_program(const char *program)
{
    struct program_file file;
    program_file_look(&file, program);
    if (file.is_static)
        return fail("%s: it is static and cannot load a plugin: link your code into it and call "
                    "fisql_on_call() (fisql.h)",
                    program);
    if (file.collector)
        return fail("%s: it holds the collector itself and cannot load a plugin: link it without "
                    "`fisql cc --static-runtime`, or call fisql_on_call() in it (fisql.h)",
                    program);
    return 0;
}

int record_plugin_check(struct record_options *options, const char *program)
{
    static char path[PATH_MAX];
    if (options->libs.plugin == NULL)
        return 0;
    if (realpath(options->libs.plugin, path) == NULL)
        return fail("--plugin %s: %s", options->libs.plugin, strerror(errno));
    options->libs.plugin = path;
    int result = check_file(path);
    return result != 0 ? result : check_program(program);
}
