/*
 * --only and --exclude: see record_filter.h. A pattern is a shell pattern (fnmatch) for a
 * function's demangled name, its name without parameters, its file's path, or the last part of
 * that. Libraries that the program opens itself (dlopen) are not known here: with --only they are
 * not recorded, with --exclude all of their functions are.
 */
#include "cli/record_filter.h"

#include "loader/symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct filter {
    const struct record_options *options;
    FILE *out;
    size_t matches;
};

static bool matches(const struct record_options *options, const struct symbol_function *function)
{
    char plain[1024];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(function->name, "("), function->name);
    const char *slash = function->file != NULL ? strrchr(function->file, '/') : NULL;
    for (size_t i = 0; i < options->patterns_count; i++) {
        const char *pattern = options->patterns[i];
        if (fnmatch(pattern, function->name, 0) == 0 || fnmatch(pattern, plain, 0) == 0 ||
            (function->file != NULL && fnmatch(pattern, function->file, 0) == 0) ||
            (slash != NULL && fnmatch(pattern, slash + 1, 0) == 0))
            return true;
    }
    return false;
}

static int add_module(struct filter *filter, const char *path)
{
    struct symbols symbols;
    struct error error;
    char full[PATH_MAX];
    if (realpath(path, full) == NULL)
        return 0;
    if (symbols_read(&symbols, full, NULL, NULL, NULL, &error) != 0) {
        symbols_release(&symbols);
        fprintf(stderr, "fisql: %s: %s\n", path, error.text);
        return -1;
    }
    if (symbols.instrumented)
        fprintf(filter->out, "module %s\n", full);
    for (size_t i = 0; i < symbols.ranges_count; i++) {
        if (!matches(filter->options, &symbols.functions[symbols.ranges[i].function]))
            continue;
        fprintf(filter->out, "%llx\n", (unsigned long long)symbols.ranges[i].start);
        filter->matches++;
    }
    symbols_release(&symbols);
    return 0;
}

/* glibc holds hooks that do nothing, for programs that run without a tracer: it is not itself
 * instrumented, and where its debug information is installed reading that takes most of a second.
 */
static bool is_libc(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash != NULL ? slash + 1 : path, "libc.so.", 8) == 0;
}

/* The dynamic linker tells what it would load, without running the program. */
static int add_libraries(struct filter *filter, const char *program)
{
    int ends[2];
    char line[PATH_MAX + 256];
    int result = 0;
    if (pipe(ends) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *told = fdopen(ends[0], "r");
    while (told != NULL && result == 0 && fgets(line, sizeof line, told) != NULL) {
        char *path = strstr(line, "=> ");
        char *end = path != NULL ? strstr(path, " (0x") : NULL;
        if (end == NULL)
            continue;
        *end = 0;
        if (!is_libc(path + 3))
            result = add_module(filter, path + 3);
    }
    if (told != NULL)
        fclose(told);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return result;
}

static bool find_program(const char *program, char *path, size_t size)
{
    if (strchr(program, '/') != NULL)
        return (size_t)snprintf(path, size, "%s", program) < size;
    const char *at = getenv("PATH");
    while (at != NULL) {
        const char *end = strchrnul(at, ':');
        snprintf(path, size, "%.*s/%s", (int)(end - at), at, program);
        if (access(path, X_OK) == 0)
            return true;
        at = *end != 0 ? end + 1 : NULL;
    }
    return false;
}

int record_filter_make(struct record_options *options, const char *program)
{
    char path[PATH_MAX], temporary[] = "/tmp/fisql-filter-XXXXXX";
    struct filter filter = {.options = options};
    if (options->patterns_count == 0 || !find_program(program, path, sizeof path))
        return 0;
    int file = mkstemp(temporary);
    filter.out = file >= 0 ? fdopen(file, "w") : NULL;
    options->filter_path = strdup(temporary);
    if (filter.out == NULL || options->filter_path == NULL) {
        fprintf(stderr, "fisql: %s: %s\n", temporary, strerror(errno));
        return -1;
    }
    fputs(options->only ? "only\n" : "exclude\n", filter.out);
    int result = add_module(&filter, path);
    if (result == 0)
        result = add_libraries(&filter, path);
    if (fclose(filter.out) != 0 && result == 0) {
        fprintf(stderr, "fisql: %s: %s\n", temporary, strerror(errno));
        result = -1;
    }
    if (result == 0 && filter.matches == 0) {
        fprintf(stderr, "fisql: %s: no function's name or file matches%s%s\n", program,
                options->patterns_count == 1 ? " " : " any of the patterns",
                options->patterns_count == 1 ? options->patterns[0] : "");
        result = -1;
    }
    return result;
}
