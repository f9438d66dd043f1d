/*
 * Signals that end the program. If the program has no handler for one, we have one: it reports the
 * incident, and then the signal does what it would have done, with the same siginfo and at the same
 * instruction. So exit status, core and si_addr stay the program's own.
 *
 * We interpose sigaction() and the like: the program sees SIG_DFL in place of our handler, and our
 * handler returns when the program sets SIG_DFL. We remember nothing of that: the kernel knows what
 * is set, also in a child of vfork(), which has our memory but its own signals. We set ours by the
 * system call itself, because a sanitizer stands in front of the C library's function and may not
 * have started yet.
 *
 * A handler for the overflow of a stack needs another stack (sigaltstack(2)). Each recorded thread
 * gets one of ours, which the program does not see. But a handler of the program that asks for such
 * a stack (SA_ONSTACK) would run on it: from then on we give out no more of them, and take the
 * thread's back. Not Go's runtime: it asks the kernel itself which stack a thread has, before it sets
 * its handlers, and ends the program if that stack goes.
 *
 * glibc's aborts ("double free or corruption") call no function that we could stand in front of: we
 * learn of them by the signal alone. So on_abort() stands in front of the program's handler of
 * SIGABRT, with the program's flags and mask: it reports, and calls the program's. We keep the
 * program's handler in one word per process; the child of a vfork() sets its own handlers itself.
 *
 * The kernel removes our handler before it begins (SA_RESETHAND): if a program fails that forbade
 * itself system calls, the signal still ends it. The handler sets itself again meanwhile, so that
 * other threads that fail at the same time wait.
 */
#include "collector/incidents/incident_signals.h"

#include "collector/incidents/incident.h"
#include "collector/incidents/incident_stack.h"
#include "collector/core/leaf.h"
#include "collector/core/modules.h"
#include "collector/patch/patch_module.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define NEAR_BYTES 65536u    /* an address this near the stack pointer: a stack overflow */
#define FRAME_WORDS 64u      /* words of the innermost function's variables that we look at */
#define TELLING_BYTES 12288u /* of a stack that a report may take */
#define STACK_BYTES 49152u /* of a handler's own stack: the kernel alone puts up to 12 KiB there */

static const struct {
    int number;
    const char *name;
} ours[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"},
            {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}};
#define OURS (sizeof ours / sizeof ours[0])

static uint32_t signals_on;          /* atomic: signals without a handler get ours */
static uint32_t stacks_off;          /* atomic: threads get no more stacks */
static bool stacks_stay;             /* Go's runtime uses them */
static THREAD_LOCAL void *own_stack; /* NULL = this thread has none of ours */

/* NULL = not one of ours. */
static const char *name_of(int number)
{
    for (size_t i = 0; i < OURS; i++)
        if (ours[i].number == number)
            return ours[i].name;
    return NULL;
}

/* ---- the kernel's side ---- */

struct kernel_action {
    void (*handler)(int number, siginfo_t *info, void *context);
    unsigned long flags;
    void (*restorer)(void); /* on x86-64; elsewhere the kernel has its own */
    uint64_t mask;
};

#if defined(__x86_64__)
#define KERNEL_RESTORER 0x04000000ul
/* As the C library's: debuggers recognize a signal's frame by these instructions. */
__asm__(".text\n"
        ".type incident_restorer, @function\n"
        ".hidden incident_restorer\n"
        "incident_restorer:\n"
        "mov $15, %rax\n"
        "syscall\n"
        ".size incident_restorer, .-incident_restorer\n");
HIDDEN void incident_restorer(void);
#endif

static long kernel_sigaction(int number, const struct kernel_action *action,
                             struct kernel_action *old)
{
    return syscall(SYS_rt_sigaction, (long)number, action, old, 8L);
}

static void on_signal(int number, siginfo_t *info, void *context);
static void on_abort(int number, siginfo_t *info, void *context);
static bool may_stand_in_front(const void *handler);
static void *program_abort; /* atomic: the program's handler of SIGABRT if ours is in front */

static void handler_set(int number)
{
    struct kernel_action action = {.handler = on_signal,
                                   .flags = SA_SIGINFO | SA_ONSTACK | (unsigned long)SA_RESETHAND,
                                   .mask = UINT64_MAX};
#if defined(__x86_64__)
    action.flags |= KERNEL_RESTORER;
    action.restorer = incident_restorer;
#endif
    kernel_sigaction(number, &action, NULL);
}

/* Sets our handlers for signals without one, or removes them. */
static void handlers_change(bool set)
{
    for (size_t i = 0; i < OURS; i++) {
        struct kernel_action now;
        const int number = ours[i].number;
        if (kernel_sigaction(number, NULL, &now) != 0)
            continue;
        if (set && now.handler == NULL) {
            handler_set(number);
        } else if (number == SIGABRT && now.handler == on_abort && !set) {
            void *program = __atomic_load_n(&program_abort, __ATOMIC_ACQUIRE);
            memcpy(&now.handler, &program, sizeof program);
            kernel_sigaction(SIGABRT, &now, NULL);
        } else if (number == SIGABRT && set && now.handler != on_signal) {
            void *program;
            memcpy(&program, &now.handler, sizeof program);
            if (!may_stand_in_front(program))
                continue;
            __atomic_store_n(&program_abort, program, __ATOMIC_RELEASE);
            now.handler = on_abort;
            kernel_sigaction(SIGABRT, &now, NULL);
        } else if (!set && now.handler == on_signal) {
            struct kernel_action none = {.flags = 0};
            kernel_sigaction(number, &none, NULL);
        }
    }
}

/* ---- what happened ---- */

static void place_of(const void *context, uint64_t *code, uint64_t *stack)
{
    const ucontext_t *user = context;
#if defined(__x86_64__)
    *code = patch_module_place((uint64_t)user->uc_mcontext.gregs[REG_RIP]);
    *stack = (uint64_t)user->uc_mcontext.gregs[REG_RSP];
#else
    *code = patch_module_place(user->uc_mcontext.pc);
    *stack = user->uc_mcontext.sp;
#endif
}

/* An address that could not be reached was often read from freed memory: the pointer to that may
 * still be in a register, or among the function's variables. */
static void take_pointers(struct trouble *trouble, const void *context)
{
    const ucontext_t *user = context;
    uint64_t words[FRAME_WORDS];
#if defined(__x86_64__)
    for (int i = REG_R8; i < REG_RSP; i++)
        incident_pointer(trouble, (uint64_t)user->uc_mcontext.gregs[i]);
#else
    for (int i = 0; i < 31; i++)
        incident_pointer(trouble, user->uc_mcontext.regs[i]);
#endif
    uint32_t count = incident_frame(trouble, words, FRAME_WORDS);
    for (uint32_t i = 0; i < count; i++)
        incident_pointer(trouble, words[i]);
}

static void describe_fault(struct trouble *trouble, const siginfo_t *info)
{
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr, distance = address - trouble->stack;
    if (info->si_signo == SIGFPE)
        trouble_text(trouble, info->si_code == FPE_INTDIV ? ": division by zero" : ": arithmetic");
    if (info->si_signo == SIGILL || info->si_signo == SIGFPE || info->si_signo == SIGTRAP ||
        info->si_signo == SIGSYS)
        return;
    if (info->si_code == SI_KERNEL) {
        trouble_text(trouble, ": an address that cannot be one");
        return;
    }
    trouble->told.flags |= FISQL_INCIDENT_ADDRESS;
    trouble->told.address = address;
    trouble_text(trouble, " at address ");
    trouble_hex(trouble, address);
    if (info->si_signo == SIGSEGV && distance + NEAR_BYTES < 2 * NEAR_BYTES)
        trouble_text(trouble, ": stack overflow");
    else if (info->si_signo == SIGSEGV && address < 4096)
        trouble_text(trouble, ": a null pointer");
    else if (info->si_signo == SIGSEGV && info->si_code == SEGV_ACCERR)
        trouble_text(trouble, ": not allowed there");
    else if (info->si_signo == SIGSEGV)
        trouble_text(trouble, ": no memory there");
}

/* glibc's; NULL = there is none. */
static const char *const *abort_message;
#ifdef FISQL_STATIC
extern const char *__abort_msg __attribute__((weak));
#else
#pragma weak dlsym
#endif

/* Adds what the C library said before it called abort(). Returns whether it said anything. */
static bool library_words(struct trouble *trouble)
{
    struct {
        unsigned size;
        char text[FISQL_INCIDENT_TEXT];
    } message;
    uint64_t at;
    const char *found = abort_message != NULL ? *abort_message : NULL;
    if (found == NULL)
        return false;
    memset(&message, 0, sizeof message);
    for (at = 0; at < sizeof message; at += 64) /* as much of it as exists */
        if (!incident_read((uint64_t)(uintptr_t)found + at, (char *)&message + at,
                           sizeof message - at < 64 ? sizeof message - at : 64))
            break;
    message.text[sizeof message.text - 1] = 0;
    size_t length = strlen(message.text);
    while (length > 0 && message.text[length - 1] == '\n')
        message.text[--length] = 0;
    trouble->told.kind = FISQL_INCIDENT_LIBRARY;
    trouble_text(trouble, message.text);
    return length > 0;
}

static void describe(struct trouble *trouble, const siginfo_t *info)
{
    if (info->si_signo == SIGABRT && info->si_code <= 0 && info->si_pid == (pid_t)process.pid &&
        library_words(trouble))
        return;
    trouble_text(trouble, name_of(info->si_signo));
    if (info->si_code > 0) {
        describe_fault(trouble, info);
    } else if (info->si_pid != (pid_t)process.pid) {
        trouble_text(trouble, ", sent by process ");
        trouble_number(trouble, (uint64_t)info->si_pid);
    } else {
        trouble_text(trouble, ", sent by the program itself");
    }
}

/* ---- the flag for alignment checks ---- */

/* If EFLAGS.AC is set, each of our unaligned accesses ends in SIGBUS, and we write events
 * unaligned. Aligning them would cost every hook; this costs only programs that set the flag. The
 * kernel leaves the flag set in a handler, so the handler must clear it for itself, too. If the
 * fault was ours, the program goes on without the flag. Returns whether it does. */
#if defined(__x86_64__)
#define ALIGNMENT_CHECK 0x40000LL

#ifndef FISQL_STATIC
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_own_code(uint64_t code)
{
    return code - (uint64_t)(uintptr_t)__ehdr_start <
           (uint64_t)((uintptr_t)etext - (uintptr_t)__ehdr_start);
}
#else
/* Our code is part of the program's. */
static bool is_own_code(uint64_t code)
{
    (void)code;
    return false;
}
#endif

static bool alignment_mended(int number, const siginfo_t *info, void *context)
{
    ucontext_t *user = context;
    long long flags = user->uc_mcontext.gregs[REG_EFL];
    if ((flags & ALIGNMENT_CHECK) == 0)
        return false;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() &
                                   ~(unsigned long long)ALIGNMENT_CHECK);
    if (number != SIGBUS || info->si_code != BUS_ADRALN ||
        !is_own_code((uint64_t)user->uc_mcontext.gregs[REG_RIP]))
        return false;
    user->uc_mcontext.gregs[REG_EFL] = flags & ~ALIGNMENT_CHECK;
    int error = errno;
    handler_set(number);
    errno = error;
    return true;
}
#else
static bool alignment_mended(int number, const siginfo_t *info, const void *context)
{
    (void)number, (void)info, (void)context;
    return false;
}
#endif

/* ---- the handler ---- */

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct trouble trouble;
    uint64_t code, stack;
    if (alignment_mended(number, info, context))
        return;
    if (silent())
        return; /* the signal comes again, and our handler is gone */
    int error = errno;
    place_of(context, &code, &stack);
    if (number != SIGABRT || !incident_is_told(stack)) {
        handler_set(number);
        leaf_open_again(code, stack);
        trouble_begin(&trouble, FISQL_INCIDENT_SIGNAL, number, code, stack);
        describe(&trouble, info);
        if ((number == SIGSEGV || number == SIGBUS) && info->si_code > 0)
            take_pointers(&trouble, context);
        incident_tell(&trouble);
        struct kernel_action none = {.flags = 0};
        kernel_sigaction(number, &none, NULL);
    }
    /* The signal waits until this handler returns, and then does what it would have done. */
    long pid = syscall(SYS_getpid), tid = syscall(SYS_gettid);
    if (syscall(SYS_rt_tgsigqueueinfo, pid, tid, (long)number, info) != 0 && info->si_code <= 0)
        syscall(SYS_tgkill, pid, tid, (long)number);
    errno = error;
}

/* ---- in front of the program's handler of SIGABRT ---- */

/* Is the program's own stack for handlers too small for a report? It may have asked for the
 * smallest possible one. */
static bool stack_is_small(void)
{
    stack_t stack;
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    return syscall(SYS_sigaltstack, NULL, &stack) != 0 ||
           ((stack.ss_flags & SS_ONSTACK) != 0 &&
            here - (uint64_t)(uintptr_t)stack.ss_sp < TELLING_BYTES);
}

/* Do we get the context even if the program does not ask for it? x86-64's kernel always gives
 * it. */
static bool context_given(void)
{
#if defined(__x86_64__)
    return true;
#else
    struct kernel_action now;
    return kernel_sigaction(SIGABRT, NULL, &now) == 0 && (now.flags & SA_SIGINFO) != 0;
#endif
}

/* Reports a message that is not reported yet: a failed assertion was, by its call. The siginfo
 * exists only if the program asks for it. */
static void tell_abort(const void *context)
{
    static const char *seen; /* atomic: the C library's last message, if we know it */
    struct trouble trouble;
    uint64_t code = 0, stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    const char *message = *abort_message;
    if (silent() || message == NULL || stack_is_small() ||
        __atomic_exchange_n(&seen, message, __ATOMIC_ACQ_REL) == message)
        return;
    if (context_given())
        place_of(context, &code, &stack);
    if (incident_is_told(stack))
        return;
    int error = errno;
    trouble_begin(&trouble, FISQL_INCIDENT_SIGNAL, SIGABRT, code, stack);
    if (library_words(&trouble))
        incident_tell(&trouble);
    errno = error;
}

/* The last call leaves no frame of ours: backtraces are the program's own. */
static void on_abort(int number, siginfo_t *info, void *context)
{
    void (*program)(int, siginfo_t *, void *);
    tell_abort(context);
    void *handler = __atomic_load_n(&program_abort, __ATOMIC_ACQUIRE);
    memcpy(&program, &handler, sizeof program);
    program(number, info, context);
}

static bool may_stand_in_front(const void *handler)
{
    void (*mine)(int, siginfo_t *, void *) = on_abort;
    uint64_t number = (uint64_t)(uintptr_t)handler;
    /* SIG_DFL, SIG_IGN, SIG_HOLD, SIG_ERR */
    return abort_message != NULL && number > 2 && number != UINT64_MAX &&
           memcmp(&handler, &mine, sizeof mine) != 0 &&
           (uint32_t)syscall(SYS_getpid) == process.pid;
}

/* ---- the program's side ---- */

#ifdef FISQL_WRAP
#define NAME(name) __wrap_##name
#define REAL(result, name, ...) extern result __real_##name(__VA_ARGS__) __attribute__((weak))
#define FIND(name, variable) variable = __real_##name
REAL(int, sigaction, int, const struct sigaction *, struct sigaction *);
REAL(sighandler_t, signal, int, sighandler_t);
REAL(int, sigaltstack, const stack_t *, stack_t *);
#else
#define NAME(name) name
#define FIND(name, variable)                                                                       \
    do {                                                                                           \
        void *found = quiet_symbol(#name);                                                         \
        memcpy(&variable, &found, sizeof found);                                                   \
    } while (0)
#endif

static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);
static int (*next_sigaltstack)(const stack_t *, stack_t *);
static sighandler_t (*next_signal)(int, sighandler_t);

static bool handles(void)
{
    return __atomic_load_n(&signals_on, __ATOMIC_ACQUIRE) != 0;
}

/* Takes our stack from the thread and leaves a stack of the program. Returns false if a handler
 * runs on ours. */
static bool own_stack_remove(void)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t before;
    if (own_stack == NULL)
        return true;
    if (syscall(SYS_sigaltstack, &none, &before) != 0)
        return false;
    if (before.ss_sp != own_stack && (before.ss_flags & SS_DISABLE) == 0)
        syscall(SYS_sigaltstack, &before, NULL);
    return true;
}

EXPORT int NAME(sigaction)(int number, const struct sigaction *restrict action,
                           struct sigaction *restrict old);
EXPORT int NAME(sigaction)(int number, const struct sigaction *restrict action,
                           struct sigaction *restrict old)
{
    if (next_sigaction == NULL)
        FIND(sigaction, next_sigaction);
    /* Both may be the same memory. */
    struct sigaction front;
    void *program = NULL, *before = __atomic_load_n(&program_abort, __ATOMIC_ACQUIRE);
    bool to_default = action != NULL && action->sa_handler == SIG_DFL;
    bool on_stack = action != NULL && !to_default && (action->sa_flags & SA_ONSTACK) != 0 &&
                    action->sa_handler != SIG_IGN;
    if (handles() && on_stack) {
        __atomic_store_n(&stacks_off, 1, __ATOMIC_RELEASE);
        if (!stacks_stay)
            own_stack_remove();
    }
    if (action != NULL)
        memcpy(&program, &action->sa_sigaction, sizeof program);
    if (number == SIGABRT && handles() && may_stand_in_front(program)) {
        __atomic_store_n(&program_abort, program, __ATOMIC_RELEASE);
        front = *action;
        front.sa_sigaction = on_abort;
        action = &front;
    }
    int result = next_sigaction(number, action, old);
    if (result == 0 && old != NULL && old->sa_sigaction == on_abort)
        memcpy(&old->sa_sigaction, &before, sizeof before);
    if (result != 0 || !handles() || name_of(number) == NULL)
        return result;
    if (old != NULL && old->sa_sigaction == on_signal) {
        memset(old, 0, sizeof *old);
        old->sa_handler = SIG_DFL;
    }
    if (to_default)
        handler_set(number);
    return result;
}

/* signal() or a function like it: `next` is the C library's. */
static sighandler_t set_signal(int number, sighandler_t handler,
                               sighandler_t (*next)(int, sighandler_t))
{
    void (*seen)(int, siginfo_t *, void *) = on_abort;
    sighandler_t set = handler;
    void *program, *before = __atomic_load_n(&program_abort, __ATOMIC_ACQUIRE);
    memcpy(&program, &handler, sizeof program);
    if (number == SIGABRT && handles() && may_stand_in_front(program)) {
        __atomic_store_n(&program_abort, program, __ATOMIC_RELEASE);
        memcpy(&set, &seen, sizeof set);
    }
    sighandler_t old = next(number, set);
    memcpy(&seen, &old, sizeof seen);
    if (seen == on_abort)
        memcpy(&old, &before, sizeof old);
    if (old == SIG_ERR || !handles() || name_of(number) == NULL)
        return old;
    if (handler == SIG_DFL)
        handler_set(number);
    return seen == on_signal ? SIG_DFL : old;
}

EXPORT sighandler_t NAME(signal)(int number, sighandler_t handler);
EXPORT sighandler_t NAME(signal)(int number, sighandler_t handler)
{
    if (next_signal == NULL)
        FIND(signal, next_signal);
    return set_signal(number, handler, next_signal);
}

#ifndef FISQL_WRAP
/* Other names of these functions, which the C library may have. */
#define SIGNAL(name)                                                                               \
    EXPORT sighandler_t name(int number, sighandler_t handler);                                    \
    EXPORT sighandler_t name(int number, sighandler_t handler)                                     \
    {                                                                                              \
        static sighandler_t (*next)(int, sighandler_t);                                            \
        if (next == NULL)                                                                          \
            FIND(name, next);                                                                      \
        return set_signal(number, handler, next);                                                  \
    }
SIGNAL(bsd_signal)
SIGNAL(ssignal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)
SIGNAL(sigset)

EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *old);
EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    return sigaction(number, action, old);
}
#endif

EXPORT int NAME(sigaltstack)(const stack_t *restrict stack, stack_t *restrict old);
EXPORT int NAME(sigaltstack)(const stack_t *restrict stack, stack_t *restrict old)
{
    if (next_sigaltstack == NULL)
        FIND(sigaltstack, next_sigaltstack);
    const stack_t mine = {.ss_sp = own_stack, .ss_size = STACK_BYTES};
    bool off = stack != NULL && (stack->ss_flags & SS_DISABLE) != 0;
    int result = next_sigaltstack(stack, old);
    if (result != 0 || own_stack == NULL)
        return result;
    if (old != NULL && old->ss_sp == own_stack)
        *old = (stack_t){.ss_flags = SS_DISABLE};
    if (off && __atomic_load_n(&stacks_off, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_sigaltstack, &mine, NULL);
    return result;
}

/* ---- beginning and ending ---- */

/* Stacks of ended threads, for the next ones. */
#define SPARES 16
static void *spares[SPARES]; /* atomic */

static void *stack_take(void)
{
    for (int i = 0; i < SPARES; i++) {
        void *spare = __atomic_exchange_n(&spares[i], NULL, __ATOMIC_ACQ_REL);
        if (spare != NULL)
            return spare;
    }
    void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void stack_give(void *stack)
{
    for (int i = 0; i < SPARES; i++) {
        void *none = NULL;
        if (__atomic_compare_exchange_n(&spares[i], &none, stack, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return;
    }
    munmap(stack, STACK_BYTES);
}

static void thread_begin(void)
{
    if (!handles() || silent() || own_stack != NULL ||
        __atomic_load_n(&stacks_off, __ATOMIC_ACQUIRE) != 0)
        return;
    stack_t before;
    const stack_t mine = {.ss_sp = stack_take(), .ss_size = STACK_BYTES};
    if (mine.ss_sp == NULL)
        return;
    bool set = syscall(SYS_sigaltstack, &mine, &before) == 0;
    if (set && (before.ss_flags & SS_DISABLE) == 0)
        syscall(SYS_sigaltstack, &before, NULL); /* the program has given the thread one */
    else if (set)
        own_stack = mine.ss_sp;
    if (own_stack == NULL)
        stack_give(mine.ss_sp);
}

static void thread_end(void)
{
    if (own_stack == NULL || silent() || !own_stack_remove())
        return;
    stack_give(own_stack);
    own_stack = NULL;
}

static void signals_off(void)
{
    if (__atomic_exchange_n(&signals_on, 0, __ATOMIC_ACQ_REL) != 0)
        handlers_change(false);
}

static void signals_turn_on(void)
{
    __atomic_store_n(&signals_on, 1, __ATOMIC_RELEASE);
    handlers_change(true);
}

static void begins(void)
{
    if (process.orders != NULL)
        return; /* handlers would have to be taken back among running threads */
    FIND(sigaction, next_sigaction);
    FIND(sigaltstack, next_sigaltstack);
    FIND(signal, next_signal);
#ifdef FISQL_STATIC
    abort_message = &__abort_msg;
#else
    abort_message = quiet_look(RTLD_DEFAULT, "__abort_msg");
    stacks_stay = quiet_look(RTLD_DEFAULT, "_cgo_topofstack") != NULL;
#endif
    signals_turn_on();
}

static void forbidden(enum feature_forbidden what)
{
    if (what == FEATURE_NEEDED || what == FEATURE_SIGNALS)
        signals_off();
    if (what == FEATURE_ALLOWED)
        signals_turn_on();
}

/* Made when the program goes wrong. */
static const int calls[] = {SYS_rt_sigaction, SYS_rt_tgsigqueueinfo, SYS_process_vm_readv};

const struct feature incidents_feature = {
    .load = incident_load,
    .begins = begins,
    .thread_begins = thread_begin,
    .thread_gone = thread_end,
    .jumps = incident_forget,
    .mismatch = incident_mismatch,
    .freed_twice = incident_freed_twice,
    .goes_on = incident_forget,
    .forbidden = forbidden,
    .calls = calls,
    .calls_count = sizeof calls / sizeof calls[0],
};
