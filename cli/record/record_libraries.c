/* What a program would load: see record_libraries.h. */
#include "cli/record/record_libraries.h"

#include "base/parts.h"

#include "cli/out/clock.h"
#include "cli/out/say.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCRIPTS_MAX 6     /* nested scripts: the kernel gives up earlier */
#define LIST_SECONDS 10   /* for the dynamic linker's answer */
#define LIST_MAX 1048576u /* bytes of the answer */
#define HEADERS_MAX 4096u

bool program_find(const char *program, char *path, size_t size)
{
    if (strchr(program, '/') != NULL) {
        if ((size_t)snprintf(path, size, "%s", program) >= size) {
            errno = ENAMETOOLONG;
            return false;
        }
        return access(path, X_OK) == 0;
    }
    const char *list = getenv("PATH");
    int error = ENOENT;
    for (const char *at = list != NULL ? list : "/bin:/usr/bin"; at != NULL;) {
        const char *end = strchrnul(at, ':');
        int length = snprintf(path, size, "%.*s/%s", end > at ? (int)(end - at) : 1,
                              end > at ? at : ".", program);
        if (length > 0 && (size_t)length < size && access(path, X_OK) == 0)
            return true;
        if (errno == EACCES)
            error = errno;
        at = *end != 0 ? end + 1 : NULL;
    }
    errno = error;
    return false;
}

/* ---- ELF files ---- */

/* The dynamic linker (program header PT_INTERP); empty if there is none. False if the file is no
 * ELF file of this byte order. */
static bool elf_interpreter(int file, char *text, size_t size)
{
    Elf64_Ehdr head;
    text[0] = 0;
    if (pread(file, &head, sizeof head, 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    bool narrow = head.e_ident[EI_CLASS] == ELFCLASS32;
    Elf32_Ehdr head32;
    memcpy(&head32, &head, sizeof head32);
    uint64_t table = narrow ? head32.e_phoff : head.e_phoff;
    uint64_t step = narrow ? head32.e_phentsize : head.e_phentsize;
    unsigned count = narrow ? head32.e_phnum : head.e_phnum;
    for (unsigned i = 0; i < count && i < HEADERS_MAX; i++) {
        Elf64_Phdr wide = {0};
        Elf32_Phdr short_one = {0};
        off_t at = (off_t)(table + i * step);
        void *into = narrow ? (void *)&short_one : (void *)&wide;
        ssize_t want = narrow ? (ssize_t)sizeof short_one : (ssize_t)sizeof wide;
        if (pread(file, into, (size_t)want, at) != want)
            break;
        if ((narrow ? short_one.p_type : wide.p_type) != PT_INTERP)
            continue;
        uint64_t length = narrow ? short_one.p_filesz : wide.p_filesz;
        off_t start = (off_t)(narrow ? short_one.p_offset : wide.p_offset);
        if (length < size && pread(file, text, length, start) == (ssize_t)length)
            text[length] = 0;
        else
            text[0] = 0;
        break;
    }
    return true;
}

/* Does the dynamic linker know --list? We run only glibc's and musl's. */
static bool lists(const char *interpreter)
{
    static const char *const known[] = {"ld-linux", "ld-musl-", "ld64.so.", "ld.so.1"};
    const char *name = last_part(interpreter);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (starts_with(name, known[i]))
            return true;
    return false;
}

/* Replaces the path of a script by that of its interpreter, repeatedly. False if there is no ELF
 * file. */
static bool image_find(char *path, size_t size)
{
    char line[PATH_MAX], interpreter[PATH_MAX];
    for (int level = 0; level < SCRIPTS_MAX; level++) {
        int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file < 0)
            return false;
        bool elf = elf_interpreter(file, interpreter, sizeof interpreter);
        ssize_t length = pread(file, line, sizeof line - 1, 0);
        close(file);
        if (elf)
            return true;
        if (length < 0)
            return false;
        line[length] = 0;
        const char *name = "/bin/sh"; /* as execvp() does without #! */
        if (strncmp(line, "#!", 2) == 0) {
            char *start = line + 2 + strspn(line + 2, " \t");
            start[strcspn(start, " \t\r\n")] = 0;
            name = start;
        }
        if ((size_t)snprintf(path, size, "%s", name) >= size)
            return false;
    }
    return false;
}

bool program_image(const char *program, char *path)
{
    char found[PATH_MAX];
    return program_find(program, found, sizeof found) && image_find(found, sizeof found) &&
           realpath(found, path) != NULL;
}

/* ---- the dynamic linker's answer ---- */

static pid_t list_start(const char *interpreter, const char *image, int output)
{
    /* These would make it do more. */
    static const char *const unwanted[] = {"LD_AUDIT",        "LD_DEBUG",   "LD_DEBUG_OUTPUT",
                                           "LD_PROFILE",      "LD_VERBOSE", "LD_SHOW_AUXV",
                                           "LD_BIND_NOW",     "LD_WARN",    "LD_TRACE_PRELINKING",
                                           "LD_USE_LOAD_BIAS"};
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 ||
        dup2(output, STDOUT_FILENO) < 0)
        _exit(127);
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++)
        unsetenv(unwanted[i]);
    execl(interpreter, interpreter, "--list", image, (char *)NULL);
    _exit(127);
}

/* Reads to the end and terminates the text; false if time or room runs out first. */
static bool answer_read(int from, char *answer, size_t room)
{
    int64_t until_ms = clock_ns() / 1000000 + LIST_SECONDS * 1000;
    size_t used = 0;
    for (int64_t left; used + 1 < room && (left = until_ms - clock_ns() / 1000000) > 0;) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        int ready = poll(&wait, 1, (int)left);
        ssize_t got = ready > 0 ? read(from, answer + used, room - used - 1) : -1;
        answer[used + (got > 0 ? (size_t)got : 0)] = 0;
        if (got == 0)
            return true;
        if (got < 0 && ready != 0 && errno != EINTR)
            return false;
        used += got > 0 ? (size_t)got : 0;
    }
    return false;
}

bool library_is_libc(const char *path)
{
    return starts_with(last_part(path), "libc.so.");
}

/* The path in a line of the answer: "NAME => PATH (0x...)", or "PATH (0x...)" of a library that was
 * linked by its path. NULL if there is none. */
static char *line_path(char *line)
{
    char *path = strstr(line, "=> ");
    path = path != NULL ? path + 3 : line + strspn(line, " \t");
    char *end = strstr(path, " (0x");
    if (end == NULL)
        return NULL;
    *end = 0;
    return strchr(path, '/') != NULL ? path : NULL;
}

static int libraries(const char *image, bool glibc, int (*each)(void *context, const char *path),
                     void *context)
{
    char interpreter[PATH_MAX];
    int ends[2], file = open(image, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return 0;
    bool dynamic = elf_interpreter(file, interpreter, sizeof interpreter) && interpreter[0] == '/';
    close(file);
    char *answer = dynamic && lists(interpreter) ? calloc(1, LIST_MAX) : NULL;
    if (answer == NULL || pipe2(ends, O_CLOEXEC) != 0) {
        free(answer);
        return 0;
    }
    pid_t pid = list_start(interpreter, image, ends[1]);
    close(ends[1]);
    int result = 0;
    char *rest = answer;
    if (pid < 0 || !answer_read(ends[0], answer, LIST_MAX))
        result = fail("%s: %s --list did not say what libraries it has", image, interpreter);
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL); /* if it has not ended */
        waitpid(pid, NULL, 0);
    }
    for (char *line; result == 0 && (line = strsep(&rest, "\n")) != NULL;) {
        char *path = line_path(line);
        if (path != NULL && strcmp(path, interpreter) != 0 && (glibc || !library_is_libc(path)))
            result = each(context, path);
    }
    free(answer);
    return result;
}

int program_modules(const char *image, bool glibc, int (*each)(void *context, const char *path),
                    void *context)
{
    int result = each(context, image);
    return result != 0 ? result : libraries(image, glibc, each, context);
}
