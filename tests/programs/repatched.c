/*
 * A program whose functions are patched and unpatched while it runs. Each line on stdin is an order;
 * the answer is a line on stdout:
 *
 *   calls N     N calls of outer(), each with two of inner() and one of tiny(), donor() and allocate()
 *   threads N   N threads call such functions until the end, jump out of them, and check the results;
 *               a timer interrupts them, and its handler calls functions, too; another thread
 *               starts programs
 *   nap         a call of napping(), which waits for the next line
 *   text        how many bytes of the program's code differ from its file
 *   work N      N rounds of small functions; answers with the nanoseconds of processor time
 *   child N     a child process with N calls of outer(); answers when it has ended
 *   other FILE  becomes that program, with the same orders
 *   end         stops the threads; answers with their wrong results and rounds
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define APART __attribute__((noinline)) /* neither inlined nor cloned */
#else
#define APART __attribute__((noinline, noclone))
#endif
#define THREADS_MAX 16

static volatile unsigned long sum;
static atomic_bool ended;
static atomic_ulong wrong, rounds, handled;

/* tiny() has no room for a jump, and needs a hop behind the jump of donor(). */
__asm__(".text\n.p2align 4\n"
        ".type tiny, @function\ntiny:\n.cfi_startproc\n xor %eax, %eax\n ret\n.cfi_endproc\n"
        ".size tiny, . - tiny\n"
        ".type donor, @function\ndonor:\n.cfi_startproc\n"
        "mov %edi, %eax\n add $3, %eax\n add $4, %eax\n add $5, %eax\n ret\n.cfi_endproc\n"
        ".size donor, . - donor\n.p2align 4\n");
unsigned tiny(void);
unsigned donor(unsigned number);

APART static unsigned long inner(unsigned long i)
{
    sum += i;
    return i * 3 + 1;
}

APART static void *allocate(unsigned long i)
{
    char *block = malloc(i % 64 + 1);
    if (block != NULL)
        block[0] = (char)i;
    return block;
}

APART static unsigned long outer(unsigned long i)
{
    unsigned long result = inner(i) + inner(i + 1) + tiny() + donor(1) - 13;
    free(allocate(i));
    return result;
}

APART static void calls(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        if (outer(i) != 6 * i + 5)
            abort();
}

APART static void napping(char *line, int size)
{
    if (fgets(line, size, stdin) == NULL)
        exit(0);
}

/* ---- threads ---- */

/* A function that begins with instructions of one and two bytes: threads are often within them. */
__asm__(".text\n.p2align 4\n.type short_steps, @function\nshort_steps:\n.cfi_startproc\n"
        "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx, 0\n"
        "push %rcx\n.cfi_adjust_cfa_offset 8\n"
        "xor %eax, %eax\n inc %eax\n xor %ebx, %ebx\n mov $20, %ecx\n"
        "1: add %rdi, %rax\n inc %ebx\n dec %ecx\n jnz 1b\n"
        "pop %rcx\n.cfi_adjust_cfa_offset -8\n"
        "pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\nret\n"
        ".cfi_endproc\n.size short_steps, . - short_steps\n");
unsigned long short_steps(unsigned long i);

APART static unsigned long fib(unsigned long n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

APART static void jump_out(jmp_buf *back, unsigned long i)
{
    if (fib(5) + i > i)
        longjmp(*back, 1);
}

APART static void handle(int number)
{
    (void)number;
    if (short_steps(2) != 41 || fib(7) != 13)
        wrong++;
    handled++;
}

APART static void *thread(void *unused)
{
    jmp_buf back;
    for (volatile unsigned long i = 0; !ended; i++) {
        if (short_steps(i) != 20 * i + 1 || fib(10) != 55 || inner(i) != 3 * i + 1 || tiny() != 0 ||
            donor(7) != 19)
            wrong++;
        if (setjmp(back) == 0)
            jump_out(&back, i);
        rounds++;
    }
    return unused;
}

/* Starts programs, in turn by vfork() and by posix_spawn(): while such a child lives, it shares the
 * memory, and its parent's thread does not stop. */
APART static void *spawner(void *unused)
{
    char *arguments[] = {"/bin/sleep", "0.01", NULL};
    for (unsigned long i = 0; !ended; i++) {
        pid_t pid = 0;
        int status = 0;
        if (i % 2 == 0 && posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ) != 0)
            wrong++;
        if (i % 2 != 0 && (pid = vfork()) == 0) {
            execv(arguments[0], arguments);
            _exit(127);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0)
            wrong++;
    }
    return unused;
}

static pthread_t threads[THREADS_MAX + 1];
static int threads_count;

static void threads_start(int count)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 500}, {0, 500}};
    sigaction(SIGALRM, &action, NULL);
    for (threads_count = 0; threads_count < count && threads_count < THREADS_MAX; threads_count++)
        pthread_create(&threads[threads_count], NULL, thread, NULL);
    pthread_create(&threads[threads_count], NULL, spawner, NULL);
    sigset_t alarm; /* the timer interrupts the threads, not main() */
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void threads_end(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    ended = true;
    for (int i = 0; i <= threads_count; i++)
        pthread_join(threads[i], NULL);
    printf("%lu wrong, %s\n", wrong, rounds > 100 && handled > 10 ? "all at work" : "too few");
}

/* ---- the code ---- */

static int segment_compare(struct dl_phdr_info *info, size_t size, void *differing)
{
    FILE *file = fopen("/proc/self/exe", "r");
    (void)size;
    for (int i = 0; file != NULL && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0)
            continue;
        unsigned char *bytes = malloc(segment->p_filesz);
        fseek(file, (long)segment->p_offset, SEEK_SET);
        if (bytes == NULL || fread(bytes, 1, segment->p_filesz, file) != segment->p_filesz)
            abort();
        const unsigned char *there = (unsigned char *)info->dlpi_addr + segment->p_vaddr;
        for (size_t k = 0; k < segment->p_filesz; k++)
            *(unsigned long *)differing += bytes[k] != there[k];
        free(bytes);
    }
    if (file != NULL)
        fclose(file);
    return 1; /* the program alone */
}

static unsigned long text_differs(void)
{
    unsigned long differing = 0;
    dl_iterate_phdr(segment_compare, &differing);
    return differing;
}

static unsigned long work(unsigned long count)
{
    struct timespec begun, done;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    for (unsigned long i = 0; i < count; i++)
        if (fib(15) != 610)
            abort();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &done);
    return (unsigned long)((done.tv_sec - begun.tv_sec) * 1000000000 + done.tv_nsec -
                           begun.tv_nsec);
}

static void child(unsigned long count)
{
    pid_t pid = fork();
    if (pid == 0) {
        calls(count);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    char line[256];
    (void)argc;
    setvbuf(stdin, NULL, _IONBF, 0); /* what follows `other` is the other program's */
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned long number = 0;
        line[strcspn(line, "\n")] = 0;
        char *value = strchr(line, ' ');
        if (value != NULL)
            number = strtoul(value + 1, NULL, 10);
        if (strncmp(line, "calls", 5) == 0) {
            calls(number);
        } else if (strncmp(line, "threads", 7) == 0) {
            threads_start((int)number);
        } else if (strncmp(line, "nap", 3) == 0) {
            puts("asleep");
            fflush(stdout);
            napping(line, sizeof line);
        } else if (strncmp(line, "text", 4) == 0) {
            printf("%lu ", text_differs());
        } else if (strncmp(line, "work", 4) == 0) {
            printf("%lu ", work(number));
        } else if (strncmp(line, "child", 5) == 0) {
            child(number);
        } else if (strncmp(line, "other", 5) == 0 && value != NULL) {
            argv[0] = value + 1;
            execv(value + 1, argv);
        } else {
            threads_end();
        }
        puts("done");
        fflush(stdout);
    }
    return 0;
}
