/* The names in rules for faults: see fault_names.h. */
#include "cli/record/fault_names.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/errno_names.h"
#include "formats/log.h"

struct name {
    const char *text;
    int number;
};

static const struct name errors[] = {
#define ERROR(name)                                                                                \
    {                                                                                              \
        .text = #name, .number = name                                                              \
    }
    ERRNO_NAMES(ERROR), ERROR(EDEADLOCK), ERROR(ENOTSUP), ERROR(EWOULDBLOCK)
#undef ERROR
};
#define ERRORS (sizeof errors / sizeof errors[0])

static const struct name signals[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},  {"ILL", SIGILL},   {"TRAP", SIGTRAP},
    {"ABRT", SIGABRT}, {"BUS", SIGBUS},   {"FPE", SIGFPE},    {"KILL", SIGKILL}, {"USR1", SIGUSR1},
    {"SEGV", SIGSEGV}, {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},  {"ALRM", SIGALRM}, {"TERM", SIGTERM},
    {"CHLD", SIGCHLD}, {"CONT", SIGCONT}, {"STOP", SIGSTOP},  {"TSTP", SIGTSTP}, {"XCPU", SIGXCPU},
    {"XFSZ", SIGXFSZ}, {"SYS", SIGSYS},   {"WINCH", SIGWINCH}};

static const struct fault_call_info calls[] = {
#define CALL(name, arguments, failure, way, errors)                                                \
    {#name, arguments, failure, FAULT_##way, errors},
    FISQL_FAULT_CALLS(CALL)
#undef CALL
};
_Static_assert(sizeof calls / sizeof calls[0] == FAULT_CALLS_COUNT && FAULT_CALLS_COUNT <= 64,
               "the collector has a bit for each");

int fault_errno(const char *name)
{
    for (size_t i = 0; i < ERRORS; i++)
        if (strcmp(errors[i].text, name) == 0)
            return errors[i].number;
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *const *fault_errno_names(size_t *count)
{
    static const char *names[ERRORS];
    for (size_t i = 0; i < ERRORS; i++)
        names[i] = errors[i].text;
    qsort(names, ERRORS, sizeof *names, by_name);
    *count = ERRORS;
    return names;
}

int fault_signal(const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);
    if (end != name && *end == 0)
        return number >= 1 && number < 65 ? (int)number : 0;
    if (strncmp(name, "SIG", 3) == 0)
        name += 3;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (strcmp(signals[i].text, name) == 0)
            return signals[i].number;
    return 0;
}

const struct fault_call_info *fault_call(const char *name, unsigned *number)
{
    for (unsigned i = 0; i < FAULT_CALLS_COUNT; i++)
        if (strcmp(calls[i].name, name) == 0) {
            *number = i;
            return &calls[i];
        }
    return NULL;
}

bool fault_call_gives(const struct fault_call_info *call, const char *error)
{
    size_t length = strlen(error);
    for (const char *at = call->errors; (at = strstr(at, error)) != NULL; at += length)
        if ((at == call->errors || at[-1] == ' ') && (at[length] == 0 || at[length] == ' '))
            return true;
    return false;
}

#define BIT(kind) ((uint64_t)1 << FISQL_KIND_##kind)
static const struct {
    const char *name;
    uint64_t kinds;
} allocations[] = {{"malloc", BIT(MALLOC)},
                   {"calloc", BIT(CALLOC)},
                   {"realloc", BIT(REALLOC)},
                   {"memalign", BIT(MEMALIGN)},
                   {"aligned_alloc", BIT(ALIGNED_ALLOC)},
                   {"posix_memalign", BIT(POSIX_MEMALIGN)},
                   {"valloc", BIT(VALLOC)},
                   {"pvalloc", BIT(PVALLOC)},
                   {"operator new", BIT(NEW) | BIT(NEW_ALIGNED)},
                   {"operator new[]", BIT(NEW_ARRAY) | BIT(NEW_ARRAY_ALIGNED)}};
#define ALLOCATIONS (sizeof allocations / sizeof allocations[0])

uint64_t fault_allocation(const char *name)
{
    for (size_t i = 0; i < ALLOCATIONS; i++)
        if (strcmp(allocations[i].name, name) == 0)
            return allocations[i].kinds;
    return 0;
}

const char *const *fault_target_names(size_t *count)
{
    static const char *names[FAULT_CALLS_COUNT + ALLOCATIONS];
    for (size_t i = 0; i < ALLOCATIONS; i++)
        names[i] = allocations[i].name;
    for (size_t i = 0; i < FAULT_CALLS_COUNT; i++)
        names[ALLOCATIONS + i] = calls[i].name;
    *count = FAULT_CALLS_COUNT + ALLOCATIONS;
    return names;
}
