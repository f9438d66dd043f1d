/* clang's commands, one by one: see clang_stages.h. */
#include "cli/cc/clang_stages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/system_path.h"
#include "base/memory_text.h"
#include "cli/cc/ir_filter.h"
#include "cli/out/interrupts.h"
#include "cli/out/say.h"

struct command {
    char **words; /* ends with NULL */
    size_t count, room;
    char *text;    /* holds the words */
    bool compiles; /* a source, to code */
};

struct plan {
    struct command *commands;
    size_t count, room;
    char folder[PATH_MAX - 64]; /* for temporary files */
};

static int add_word(struct command *command, char *word)
{
    if (array_reach(&command->words, &command->room, command->count + 1, NULL) != 0)
        return -1;
    command->words[command->count++] = word;
    command->words[command->count] = NULL;
    return 0;
}

/* Parses a command of -### in place: "word" "word", \ before ", \ and $. */
static int parse_command(struct command *command, char *line)
{
    for (char *at = line; (at = strchr(at, '"')) != NULL;) {
        char *word = ++at, *out = at;
        for (; *at != 0 && *at != '"'; at++) {
            if (*at == '\\' && at[1] != 0)
                at++;
            *out++ = *at;
        }
        if (*at != '"')
            return -1;
        at++;
        *out = 0;
        if (add_word(command, word) != 0)
            return -1;
    }
    return command->count > 0 ? 0 : -1;
}

static const char *value_of(const struct command *command, const char *option)
{
    for (size_t i = 0; i + 1 < command->count; i++)
        if (strcmp(command->words[i], option) == 0)
            return command->words[i + 1];
    return NULL;
}

static bool has(const struct command *command, const char *const *options)
{
    for (; *options != NULL; options++)
        for (size_t i = 0; i < command->count; i++)
            if (strcmp(command->words[i], *options) == 0)
                return true;
    return false;
}

/* Does this command of clang compile a source, the last of its words, to code? */
static bool compiles(const struct command *command)
{
    static const char *const code[] = {"-emit-obj", "-emit-llvm-bc", "-S", NULL};
    static const char *const languages[] = {"c",
                                            "c++",
                                            "objective-c",
                                            "objective-c++",
                                            "cpp-output",
                                            "c++-cpp-output",
                                            "objective-c-cpp-output",
                                            "objective-c++-cpp-output",
                                            NULL};
    const char *language = value_of(command, "-x"), *out = value_of(command, "-o");
    bool known = false;
    for (const char *const *name = languages; language != NULL && *name != NULL; name++)
        known |= strcmp(*name, language) == 0;
    return known && strcmp(command->words[1], "-cc1") == 0 && has(command, code) && out != NULL &&
           strcmp(out, "-") != 0 && command->count > 4 &&
           strcmp(command->words[command->count - 3], "-x") == 0;
}

/* Starts a program, with its stderr in *errors unless that is NULL. Returns its pid or -1. */
static pid_t start(char *const *words, const char *temporary, int *errors)
{
    int ends[2] = {-1, -1};
    if (words == NULL)
        return -1;
    if (errors != NULL && pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        interrupts_child();
        if (errors != NULL) {
            dup2(ends[1], STDERR_FILENO);
            setenv("LC_ALL", "C", 1);
            setenv("TMPDIR", temporary, 1);
        }
        execvp(words[0], words);
        fail("cc: %s: cannot be run: %s", words[0], strerror(errno));
        _exit(127);
    }
    if (errors != NULL) {
        close(ends[1]);
        *errors = ends[0];
        if (child < 0)
            close(ends[0]);
    }
    return child;
}

static int finish(pid_t child)
{
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Asks the compiler for its commands and writes its warnings to `said`. Returns 0 if it would run
 * them and they compile a source. */
static int ask(struct plan *plan, const char *const *words, size_t count, FILE *said)
{
    struct command question = {0};
    char *line = NULL;
    size_t room = 0, sources = 0;
    int errors = -1, result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = add_word(&question, (char *)(uintptr_t)words[i]);
    if (result != 0 || add_word(&question, (char *)(uintptr_t) "-###") != 0)
        return -1;
    pid_t child = start(question.words, plan->folder, &errors);
    FILE *answer = child > 0 ? fdopen(errors, "r") : NULL;
    while (answer != NULL && result == 0 && getline(&line, &room, answer) >= 0) {
        if (strstr(line, "warning: ") != NULL)
            fputs(line, said);
        if (strncmp(line, " \"", 2) != 0)
            continue;
        result = array_reserve(&plan->commands, &plan->room, plan->count + 1, NULL);
        if (result != 0)
            break;
        struct command *command = &plan->commands[plan->count++];
        *command = (struct command){.text = line};
        result = parse_command(command, line);
        line = NULL;
        room = 0;
        command->compiles = command->count > 1 && compiles(command);
        sources += command->compiles;
    }
    free(line);
    free(question.words);
    if (answer != NULL)
        fclose(answer);
    return finish(child) == 0 && result == 0 && sources > 0 ? 0 : -1;
}

/* Is the file the system's, or in a folder that this compiler searches by itself? */
static bool is_system(void *context, const char *path)
{
    const struct command *command = context;
    char folder[PATH_MAX];
    if (system_path(path))
        return true;
    for (size_t i = 0; i + 1 < command->count; i++) {
        if (strcmp(command->words[i], "-internal-isystem") != 0 &&
            strcmp(command->words[i], "-internal-externc-isystem") != 0)
            continue;
        system_path_clean(command->words[i + 1], folder, sizeof folder);
        if (system_path_within(path, folder))
            return true;
    }
    return false;
}

/* Filters the module in the file `from` into `to`. */
static int filter(const struct command *command, const char *from, const char *to)
{
    const struct ir_filter rules = {.is_system = is_system, .context = (void *)(uintptr_t)command};
    char *text = NULL;
    size_t room = 0, functions = 0;
    FILE *in = fopen(from, "re"), *out = fopen(to, "we");
    ssize_t size = in != NULL ? getdelim(&text, &room, 0, in) : -1;
    int result =
        size >= 0 && out != NULL ? ir_filter_copy(&rules, text, (size_t)size, out, &functions) : -1;
    bool unwritten = out != NULL && ferror(out) != 0;
    unwritten = (out != NULL && fclose(out) != 0) || unwritten;
    if (unwritten)
        result = -1;
    if (in != NULL)
        fclose(in);
    free(text);
    return result == 0 ? 0 : fail("cc: %s: cannot be written: %s", to, strerror(errno));
}

/* Compiles a source in two steps. */
static int compile(const struct plan *plan, const struct command *command, size_t at)
{
    char raw[PATH_MAX], filtered[PATH_MAX];
    snprintf(raw, sizeof raw, "%s/%zu.ll", plan->folder, at);
    snprintf(filtered, sizeof filtered, "%s/%zu.own.ll", plan->folder, at);
    char *const last[] = {(char *)(uintptr_t) "-x", (char *)(uintptr_t) "ir", filtered};
    struct command first = {0}, second = {0};
    int result = 0;
    for (size_t i = 0; i < command->count && result == 0; i++) {
        bool out = i > 0 && strcmp(command->words[i - 1], "-o") == 0;
        size_t tail = command->count - 3;
        if (i == tail) /* the last action counts */
            result = add_word(&first, (char *)(uintptr_t) "-emit-llvm") |
                     add_word(&first, (char *)(uintptr_t) "-disable-llvm-passes");
        result |= add_word(&first, out ? raw : command->words[i]);
        result |= add_word(&second, i >= tail ? last[i - tail] : command->words[i]);
    }
    if (result != 0)
        result = fail("cc: out of memory");
    if (result == 0)
        result = finish(start(first.words, NULL, NULL));
    if (result == 0)
        result = filter(command, raw, filtered);
    unlink(raw);
    if (result == 0)
        result = finish(start(second.words, NULL, NULL));
    unlink(filtered);
    free(first.words);
    free(second.words);
    return result;
}

static int run(const struct plan *plan)
{
    int status = 0;
    for (size_t i = 0; i < plan->count && status == 0; i++) {
        const struct command *command = &plan->commands[i];
        status = command->compiles ? compile(plan, command, i)
                                   : finish(start(command->words, NULL, NULL));
    }
    return status;
}

static void plan_release(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        free(plan->commands[i].words);
        free(plan->commands[i].text);
    }
    free(plan->commands);
}

static void remove_folder(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list != NULL)
        closedir(list);
    rmdir(folder);
}

int clang_stages(const char *const *words, size_t count, bool *ran)
{
    struct plan plan = {0};
    const char *place = getenv("TMPDIR");
    char *warnings = NULL;
    size_t warnings_size = 0;
    int status = 0;
    *ran = false;
    snprintf(plan.folder, sizeof plan.folder, "%s/fisql-cc-XXXXXX",
             place != NULL && place[0] == '/' ? place : "/tmp");
    if (mkdtemp(plan.folder) == NULL)
        return fail("cc: %s: cannot be made: %s", plan.folder, strerror(errno));
    /* As system(3): a signal from the terminal is for the compiler. We remove its files. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    FILE *said = memory_text_open(&warnings, &warnings_size);
    int asked = said != NULL ? ask(&plan, words, count, said) : -1;
    if (said != NULL && fclose(said) != 0)
        asked = -1;
    if (asked == 0) {
        *ran = true;
        say_through(warnings, warnings_size);
        status = run(&plan);
    } else {
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
    }
    remove_folder(plan.folder);
    free(warnings);
    plan_release(&plan);
    return status;
}
