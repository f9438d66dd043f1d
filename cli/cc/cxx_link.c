/* Linking what clang instruments: see cxx_link.h. */
#include "cli/cc/cxx_link.h"

#include "cli/out/say.h"

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

#include "cli/out/interrupts.h"

#define MEMBERS_MAX 256
#define ROUNDS_MAX 4 /* lld names twenty missing symbols at a time */

struct session {
    const char *const *words;
    size_t count;
    char folder[PATH_MAX - 64]; /* for temporary files */
    char *members[MEMBERS_MAX]; /* class::name, as C++ spells them */
    size_t members_count;
};

bool cxx_link_needed(const char *version)
{
    const char *number = strstr(version, "clang version ");
    return number != NULL && atoi(number + strlen("clang version ")) < 20;
}

/* Runs the words, then `more`. English stderr goes to the file `errors` of the folder. Returns the
 * exit status. */
static int run(const struct session *session, const char *const *words, size_t count,
               const char *const *more, size_t more_count, const char *errors)
{
    char path[PATH_MAX];
    const char **command = calloc(count + more_count + 1, sizeof *command);
    if (command == NULL)
        return 2;
    memcpy(command, words, count * sizeof *command);
    for (size_t i = 0; i < more_count; i++)
        command[count + i] = more[i];
    snprintf(path, sizeof path, "%s/%s", session->folder, errors);
    pid_t child = fork();
    if (child == 0) {
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        interrupts_child();
        setenv("LC_ALL", "C", 1);
        if (file >= 0)
            dup2(file, STDERR_FILENO);
        execvp(command[0], (char *const *)(uintptr_t)command);
        fail("cc: %s: cannot be run: %s", command[0], strerror(errno));
        _exit(2);
    }
    free(command);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child < 0)
        return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int link_once(const struct session *session, const char *const *more, size_t more_count,
                     const char *errors)
{
    return run(session, session->words, session->count, more, more_count, errors);
}

/* The length of `text` before its parameters, and in *member the start of its last name: for
 * "std::allocator<char>::allocate(unsigned long)" 30 and 22. 0 if it is no member of a template's
 * instance. */
static size_t member_length(const char *text, size_t *member)
{
    size_t length = 0;
    int depth = 0;
    *member = 0;
    for (; text[length] != 0 && (depth > 0 || strchr("(['`\" \n", text[length]) == NULL);
         length++) {
        depth += text[length] == '<';
        depth -= text[length] == '>';
        if (depth == 0 && length > 1 && text[length - 1] == ':' && text[length - 2] == ':')
            *member = length;
    }
    bool whole = depth == 0 && *member > 3 && text[*member - 3] == '>' && *member < length &&
                 text[length] != ' ' && strncmp(text + *member, "operator", 8) != 0;
    return whole ? length : 0;
}

/* Adds the members of std's templates that the linker calls undefined. Returns how many are new. */
static size_t add_missing(struct session *session, const char *errors)
{
    static const char *const marks[] = {"undefined reference to ", "undefined symbol: "};
    char path[PATH_MAX], *line = NULL;
    size_t room = 0, member, before = session->members_count;
    snprintf(path, sizeof path, "%s/%s", session->folder, errors);
    FILE *file = fopen(path, "re");
    while (file != NULL && getline(&line, &room, file) > 0) {
        const char *text = NULL;
        for (size_t i = 0; i < sizeof marks / sizeof marks[0] && text == NULL; i++)
            if ((text = strstr(line, marks[i])) != NULL)
                text += strlen(marks[i]);
        if (text == NULL)
            continue;
        text += strspn(text, "`'\"");
        size_t length = strncmp(text, "std::", 5) == 0 ? member_length(text, &member) : 0;
        bool known = length == 0 || session->members_count == MEMBERS_MAX;
        for (size_t i = 0; i < session->members_count && !known; i++)
            known = strlen(session->members[i]) == length &&
                    strncmp(session->members[i], text, length) == 0;
        char *name = known ? NULL : strndup(text, length);
        if (name != NULL)
            session->members[session->members_count++] = name;
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return session->members_count - before;
}

/* Constructors and destructors have no address: we instantiate their whole class. */
static bool is_special(const char *name, size_t member)
{
    const char *class = name + member - 2; /* the end of the class */
    int depth = 0;
    if (name[member] == '~')
        return true;
    while (class > name && (depth > 0 || class[-1] != ':')) {
        class --;
        depth += *class == '>';
        depth -= *class == '<';
    }
    size_t length = strlen(name + member);
    return strncmp(class, name + member, length) == 0 && class[length] == '<';
}

/* Writes a source that defines the members: libstdc++'s headers without "extern template" define
 * weakly what is used. */
static bool write_source(const struct session *session, const char *path)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    fputs("#include <bits/c++config.h>\n"
          "#undef _GLIBCXX_EXTERN_TEMPLATE\n"
          "#define _GLIBCXX_EXTERN_TEMPLATE 0\n"
          "#include <string>\n#include <iostream>\n#include <sstream>\n#include <fstream>\n"
          "#include <locale>\n#include <memory>\n"
          "namespace {\n"
          "template <auto Member> struct used {\n"
          "    [[gnu::used]] static inline const auto member = Member;\n"
          "};\n",
          file);
    for (size_t i = 0; i < session->members_count; i++) {
        size_t member;
        member_length(session->members[i], &member);
        if (is_special(session->members[i], member))
            fprintf(file, "}\ntemplate class %.*s;\nnamespace {\n", (int)member - 2,
                    session->members[i]);
        else
            fprintf(file, "template struct used<&%s>;\n", session->members[i]);
    }
    fputs("}\n", file);
    return fclose(file) == 0;
}

/* Options that choose the headers and the machine. */
static size_t copy_options(const struct session *session, const char **out)
{
    static const char *const joined[] = {
        "-m", "-stdlib=", "--target=", "--sysroot=", "--gcc-", "-D_GLIBCXX", "-nostdinc", NULL};
    static const char *const apart[] = {"-target", "--sysroot", "-isysroot", "-isystem", NULL};
    size_t count = 0;
    for (size_t i = 1; i < session->count; i++) {
        const char *word = session->words[i];
        if (strcmp(word, "-mllvm") == 0) {
            i++;
            continue;
        }
        for (const char *const *option = joined; *option != NULL; option++)
            if (strncmp(word, *option, strlen(*option)) == 0) {
                out[count++] = word;
                break;
            }
        for (const char *const *option = apart; *option != NULL && i + 1 < session->count; option++)
            if (strcmp(word, *option) == 0) {
                out[count++] = word;
                out[count++] = session->words[++i];
                break;
            }
    }
    return count;
}

/* Compiles the members into `object`. */
static bool compile_members(const struct session *session, const char *object)
{
    /* The always_inline members depend on the standard; the newest has most. */
    static const char *const standards[] = {"-std=gnu++20", "-std=gnu++17"};
    char source[PATH_MAX];
    const char **words = calloc(session->count + 16, sizeof *words);
    bool done = false;
    snprintf(source, sizeof source, "%s/members.cc", session->folder);
    if (words != NULL && write_source(session, source)) {
        words[0] = session->words[0];
        size_t count = 1 + copy_options(session, words + 1);
        for (size_t i = 0; i < sizeof standards / sizeof standards[0] && !done; i++) {
            const char *more[] = {"-x", "c++", standards[i], "-O1",  "-fPIC",
                                  "-w", "-c",  "-o",         object, source};
            done =
                run(session, words, count, more, sizeof more / sizeof more[0], "members.err") == 0;
        }
    }
    free(words);
    return done;
}

/* Shows the messages of the link that counts. */
static void show(const struct session *session, const char *errors)
{
    char path[PATH_MAX], text[4096];
    snprintf(path, sizeof path, "%s/%s", session->folder, errors);
    FILE *file = fopen(path, "re");
    for (size_t size; file != NULL && (size = fread(text, 1, sizeof text, file)) > 0;)
        say_through(text, size);
    if (file != NULL)
        fclose(file);
}

static void remove_folder(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list != NULL)
        closedir(list);
    rmdir(folder);
}

int cxx_link(const char *const *words, size_t count, bool shared)
{
    struct session session = {.words = words, .count = count};
    char object[PATH_MAX], checked[PATH_MAX];
    const char *place = getenv("TMPDIR");
    snprintf(session.folder, sizeof session.folder, "%s/fisql-cc-XXXXXX",
             place != NULL && place[0] == '/' ? place : "/tmp");
    if (mkdtemp(session.folder) == NULL)
        return fail("cc: %s: cannot be made: %s", session.folder, strerror(errno));
    snprintf(object, sizeof object, "%s/members.o", session.folder);
    snprintf(checked, sizeof checked, "%s/checked", session.folder);
    /* As system(3): a signal from the terminal is for the compiler. We remove its files. */
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    const char *with[] = {object};
    /* A library may miss symbols of others, but not these: its program does not have them. */
    const char *check[] = {"-o", checked, "-Wl,-z,defs", "-lstdc++", object};
    int status = 2;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        size_t members = session.members_count > 0 ? 1 : 0;
        status = link_once(&session, with, members, "link.err");
        size_t missing = status == 0 && !shared ? 0 : add_missing(&session, "link.err");
        if (status == 0 && shared && link_once(&session, check, 4 + members, "check.err") != 0)
            missing = add_missing(&session, "check.err");
        if (missing == 0 || !compile_members(&session, object))
            break;
    }
    show(&session, "link.err");
    remove_folder(session.folder);
    for (size_t i = 0; i < session.members_count; i++)
        free(session.members[i]);
    return status;
}
