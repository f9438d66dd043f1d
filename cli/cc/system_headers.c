/* The folders of system headers, for gcc: see system_headers.h. */
#include "cli/cc/system_headers.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system_path.h"
#include "base/parts.h"

/* Runs COMPILER -E -v on nothing and reads its answer. Returns its exit status. */
static int ask(struct compiler_facts *facts, char *const *question)
{
    int answer[2], status = 0;
    if (pipe2(answer, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nothing, STDOUT_FILENO);
        dup2(answer[1], STDERR_FILENO);
        setenv("LC_ALL", "C", 1);
        execvp(question[0], question);
        _exit(127);
    }
    close(answer[1]);
    FILE *lines = fdopen(answer[0], "r");
    const size_t folders_max = sizeof facts->folders / sizeof facts->folders[0];
    char *line = NULL, folder[PATH_MAX];
    size_t room = 0;
    bool list = false;
    while (lines != NULL && getline(&line, &room, lines) >= 0) {
        line[strcspn(line, "\n")] = 0;
        facts->gcc |= starts_with(line, "gcc version ");
        facts->aarch64 |= starts_with(line, "Target: aarch64");
        if (strstr(line, "clang version ") != NULL && facts->version[0] == 0)
            snprintf(facts->version, sizeof facts->version, "%s", line);
        if (strstr(line, " search starts here:") != NULL)
            list = true;
        else if (starts_with(line, "End of search list"))
            list = false;
        else if (list && starts_with(line, " /") && facts->folders_count < folders_max) {
            system_path_clean(line + 1, folder, sizeof folder);
            facts->folders[facts->folders_count] = strdup(folder);
            facts->folders_count += facts->folders[facts->folders_count] != NULL;
        }
    }
    free(line);
    if (lines != NULL)
        fclose(lines);
    if (pid > 0)
        waitpid(pid, &status, 0);
    facts->clang = facts->version[0] != 0;
    return pid > 0 ? status : -1;
}

void compiler_ask(struct compiler_facts *facts, const char *const *words, size_t count)
{
    static const char *const choosing[] = {"--sysroot", "-isysroot", "-B", "--gcc-toolchain",
                                           "-nostdinc"};
    static const char *const languages[] = {"c++", "c"}; /* not every gcc has C++ */
    *facts = (struct compiler_facts){0};
    for (size_t language = 0; language < 2 && facts->folders_count == 0; language++) {
        char *question[80];
        size_t used = 0;
        question[used++] = (char *)(uintptr_t)words[0];
        for (size_t i = 1; i < count; i++)
            for (size_t k = 0; k < sizeof choosing / sizeof choosing[0] && used < 64; k++) {
                if (!starts_with(words[i], choosing[k]))
                    continue;
                question[used++] = (char *)(uintptr_t)words[i];
                if (strcmp(words[i], choosing[k]) == 0 && choosing[k] != choosing[4] &&
                    i + 1 < count)
                    question[used++] = (char *)(uintptr_t)words[i + 1];
                break;
            }
        static const char *const rest[] = {"-E", "-v", "-x", NULL, "/dev/null"};
        for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
            question[used++] = (char *)(uintptr_t)(rest[i] != NULL ? rest[i] : languages[language]);
        question[used] = NULL;
        ask(facts, question);
    }
}

/* The start of the path in an argument: behind a joined option, or behind "=". */
static const char *path_in(const char *word)
{
    static const char *const options[] = {"-isystem", "-iquote", "-idirafter", "-include",
                                          "-I",       "-L",      "-B",         "-o"};
    if (word[0] != '-')
        return word;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (starts_with(word, options[i]))
            return word + strlen(options[i]);
    const char *equals = strchr(word, '=');
    return equals != NULL ? equals + 1 : word;
}

/* Is the argument a source: .c, .cc, .cpp, .f90, .d, .adb, .go, ...? */
static bool is_source(const char *word)
{
    const char *last = strrchr(word, '/'), *dot = strrchr(last != NULL ? last : word, '.');
    return dot != NULL && dot[1] != 0 && strchr("cCfFdgmM", dot[1]) != NULL;
}

/* May the folder's name occur in the path of a source that this argument brings in? */
static bool may_mean(const char *word, const char *folder)
{
    const char *path = path_in(word), *at = strstr(path, folder);
    char inside[PATH_MAX * 2];
    if (at != NULL && (at != path || (path == word && is_source(word))))
        return true; /* the project lies in a folder of that name, or its source in this folder */
    snprintf(inside, sizeof inside, "%.*s%s", PATH_MAX, path, folder);
    if (path[0] != 0 && strcmp(path, "/") != 0 && access(inside, F_OK) == 0)
        return true;
    /* beside a source, or a folder that is searched */
    const char *last = strrchr(path, '/');
    snprintf(inside, sizeof inside, "%.*s%s", last != NULL ? (int)(last - path) : 1,
             last != NULL ? path : ".", folder);
    return (last == NULL || last > path) && access(inside, F_OK) == 0;
}

/* Takes gcc's own folder in place of those within it: it holds headers of other languages, too. */
static void shorten(char *folder)
{
    static const char *const ends[] = {"/include", "/include-fixed"};
    for (size_t i = 0; strstr(folder, "/gcc/") != NULL && i < 2; i++) {
        if (has_ending(folder, ends[i]))
            folder[strlen(folder) - strlen(ends[i])] = 0;
    }
}

const char *system_headers_list(const struct compiler_facts *facts, const char *const *words,
                                size_t count)
{
    size_t room = 1;
    for (size_t i = 0; i < facts->folders_count; i++)
        room += 2 * strlen(facts->folders[i]) + 2;
    char *list = malloc(room), *out = list; /* lives until exec */
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < facts->folders_count; i++) {
        char *folder = facts->folders[i];
        shorten(folder);
        bool leave_out = strcmp(folder, "/") == 0 || folder[0] == 0;
        for (size_t k = 0; k < count && !leave_out; k++)
            leave_out = may_mean(words[k], folder);
        if (leave_out)
            continue;
        if (out > list)
            *out++ = ',';
        for (const char *at = folder; *at != 0; at++) {
            if (*at == ',')
                *out++ = '\\';
            *out++ = *at;
        }
        *out++ = '/';
    }
    *out = 0;
    if (out == list) {
        free(list);
        return NULL;
    }
    return list;
}
