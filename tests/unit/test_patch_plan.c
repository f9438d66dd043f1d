/*
 * Plans for patching modules (patch_plan.h, patch_cache.h): small libraries of assembler code are
 * planned, loaded and patched here, with an entry that only counts, and their functions must give
 * the same as before.
 */
#include "debuginfo/patch/patch_cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/check.h"

static void reasons(void)
{
    check_string("too short for a jump", patch_reason_text(FISQL_PATCH_SHORT), "a reason's text");
    for (int i = 0; i < FISQL_PATCH_REASONS_COUNT; i++)
        if (patch_reason_text((enum fisql_patch_reason)i) == NULL)
            check(false, "reason %d has a text", i);
}

static void other_machine(void)
{
    struct elf_file module = {.machine = EM_PPC64};
    struct patch_plan plan;
    struct error error;
    check_equal(0, patch_plan_make(&plan, &module, &error), "a module of another machine");
    check_string("only x86-64 code, and sleds of aarch64, can be patched", plan.problem,
                 "is refused");
    check(plan.plan == NULL && plan.left_count == 0, "with no plan");
    patch_plan_release(&plan);
    module.machine = EM_AARCH64;
    check_equal(0, patch_plan_make(&plan, &module, &error), "one of aarch64 without sleds");
    check_string("it has no sleds: compile it with `fisql cc --sleds`", plan.problem, "is, too");
    check(plan.plan == NULL && plan.left_count == 0, "with no plan");
    patch_plan_release(&plan);
}

#ifdef __x86_64__

/* Counts in the stub's first word, and lets the stub go on at the moved instructions. */
__asm__(".text\n"
        "test_patch_entry:\n"
        "    push %rax\n"
        "    mov 8(%rsp), %rax\n"
        "    incq -22(%rax)\n"
        "    lea 4(%rax), %rax\n"
        "    xchg %rax, (%rsp)\n"
        "    lea 8(%rsp), %rsp\n"
        "    ret\n");
extern const char test_patch_entry[];

struct library {
    char path[300];
    struct elf_file file;
    struct patch_plan plan;
    void *handle;
    char *bias;
    unsigned char *code; /* the stubs in memory */
};

/* What each library begins with. */
static const char prologue[] = ".macro function name\n"
                               ".p2align 4\n"
                               "packed \\name\n"
                               ".endm\n"
                               ".macro packed name\n"
                               ".globl \\name\n"
                               ".type \\name, @function\n"
                               "\\name:\n"
                               ".cfi_startproc\n"
                               ".endm\n"
                               ".macro done name\n"
                               ".cfi_endproc\n"
                               ".size \\name, . - \\name\n"
                               ".endm\n"
                               ".section .note.GNU-stack,\"\",@progbits\n"
                               ".text\n";

static bool write_file(const char *path, const void *bytes, size_t size_bytes)
{
    unlink(path); /* to cut a file off waits for the disk */
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    bool done = descriptor >= 0 && write(descriptor, bytes, size_bytes) == (ssize_t)size_bytes;
    if (descriptor >= 0)
        close(descriptor);
    return done;
}

/* Assembles and links a library; `more`: for the linker's command. */
static bool build(struct library *library, const char *name, const char *text, const char *more)
{
    char command[1000], source[300];
    size_t length = strlen(prologue) + strlen(text);
    char *whole = malloc(length + 1);
    *library = (struct library){.handle = NULL};
    snprintf(source, sizeof source, "%s.s", name);
    snprintf(library->path, sizeof library->path, "./%s.so", name);
    snprintf(whole, length + 1, "%s%s", prologue, text);
    snprintf(command, sizeof command, "cc -shared -nostdlib -Wl,--build-id %s -o %s %s", more,
             library->path, source);
    bool made = write_file(source, whole, length) && system(command) == 0;
    free(whole);
    return check(made, "%s: built", name);
}

static bool plan(struct library *library)
{
    struct error error;
    return check(elf_file_open(&library->file, library->path) == NULL &&
                     patch_plan_make(&library->plan, &library->file, &error) == 0,
                 "%s: planned", library->path);
}

static void release(struct library *library)
{
    patch_plan_release(&library->plan);
    elf_file_close(&library->file);
    if (library->handle != NULL)
        dlclose(library->handle);
}

/* Puts the stubs into memory and the jumps into the library. */
static void patch(struct library *library)
{
    const struct fisql_patch *from = library->plan.plan;
    size_t bytes = (from->code_bytes + FISQL_PATCH_HEAD + 4095) & ~(size_t)4095;
    char *area = MAP_FAILED;
    for (uintptr_t away = 1 << 24; area == MAP_FAILED && away < 1 << 30; away += 1 << 24)
        area = mmap(library->bias + away, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    const void *entries[] = {test_patch_entry, test_patch_entry}; /* of leaves, too */
    memcpy(area, entries, sizeof entries);
    library->code = (unsigned char *)area + FISQL_PATCH_HEAD;
    memcpy(library->code, fisql_patch_code(from), from->code_bytes);
    for (uint32_t i = 0; i < from->fixups_count; i++) {
        const struct fisql_patch_fixup *fixup = &fisql_patch_fixups(from)[i];
        unsigned char *place = library->code + fixup->place;
        uint64_t target = fixup->target + (uintptr_t)library->bias;
        if (fixup->kind == FISQL_PATCH_ABSOLUTE) {
            memcpy(place, &target, 8);
            continue;
        }
        uint32_t distance = (uint32_t)(target - ((uintptr_t)place + 4) - fixup->trailing);
        memcpy(place, &distance, 4);
    }
    for (uint32_t i = 0; i < from->entries_count; i++) {
        const struct fisql_patch_entry *hooked = &fisql_patch_entries(from)[i];
        unsigned char *place = (unsigned char *)library->bias + hooked->address;
        uintptr_t page = (uintptr_t)place & ~(uintptr_t)4095;
        if (memcmp(place, hooked->before, fisql_patch_taken(hooked)) != 0)
            check(false, "the bytes at %lx are known", (unsigned long)hooked->address);
        mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
        unsigned char *jump = (unsigned char *)library->bias + fisql_patch_jump(hooked);
        if (hooked->hop != 0)
            memcpy(place, (unsigned char[]){0xeb, (unsigned char)hooked->hop}, 2);
        uint32_t distance = (uint32_t)(library->code + hooked->stub - (jump + FISQL_PATCH_JUMP));
        *jump = 0xe9;
        memcpy(jump + 1, &distance, 4);
    }
}

static bool load(struct library *library)
{
    Dl_info info;
    library->handle = dlopen(library->path, RTLD_NOW);
    void *any = library->handle != NULL ? dlsym(library->handle, "any") : NULL;
    if (!check(any != NULL && dladdr(any, &info) != 0, "%s: loaded", library->path))
        return false;
    library->bias = info.dli_fbase; /* its first segment is at 0 */
    return true;
}

static uint64_t address_of(const struct library *library, const char *name)
{
    return (uint64_t)((char *)dlsym(library->handle, name) - library->bias);
}

/* How a function was planned: HOOKED, or why not; -1 = it is no function. */
static int how(const struct library *library, const char *name)
{
    uint64_t address = address_of(library, name);
    int found = -1;
    for (uint32_t i = 0; library->plan.plan != NULL && i < library->plan.plan->entries_count; i++)
        if (fisql_patch_entries(library->plan.plan)[i].address == address)
            found = FISQL_PATCH_HOOKED;
    for (size_t i = 0; i < library->plan.left_count; i++)
        if (library->plan.left[i].address == address)
            found = (int)library->plan.left[i].reason;
    return found;
}

static uint64_t calls_of(const struct library *library, const char *name)
{
    uint64_t address = address_of(library, name), calls = 0;
    for (uint32_t i = 0; i < library->plan.plan->entries_count; i++) {
        const struct fisql_patch_entry *entry = &fisql_patch_entries(library->plan.plan)[i];
        if (entry->address == address)
            memcpy(&calls, library->code + entry->stub - FISQL_PATCH_HEAD, sizeof calls);
    }
    return calls;
}

/* ---- what moved instructions do ---- */

static const char moved_code[] =
    "function any\n mov $1, %eax\n ret\n done any\n"
    "function store\n movl $1234567, data(%rip)\n mov data(%rip), %eax\n ret\n done store\n"
    "function compare\n cmpb $5, byte(%rip)\n sete %al\n movzbl %al, %eax\n ret\n done compare\n"
    "function load\n mov data+4(%rip), %rax\n ret\n done load\n"
    "function branch\n test %rdi, %rdi\n je 1f\n mov $10, %eax\n ret\n 1: mov $20, %eax\n ret\n"
    "done branch\n"
    "function counter\n mov %edi, %ecx\n jrcxz 1f\n mov $0, %eax\n 2: inc %eax\n loop 2b\n mov $3, "
    "%eax\n ret\n"
    "1: mov $4, %eax\n ret\n done counter\n"
    "function looping\n xor %eax, %eax\n loop 1f\n mov $5, %eax\n ret\n 1: mov $6, %eax\n ret\n"
    "done looping\n"
    "function tail\n jmp where\n done tail\n"
    "function where\n mov (%rsp), %rax\n ret\n done where\n"
    "function calls\n push %rbx\n mov %rdi, %rbx\n call where\n lea 1f(%rip), %rcx\n 1: pop %rbx\n"
    "sub %rcx, %rax\n ret\n done calls\n"
    "function calls_first\n call where\n 1: lea 1b(%rip), %rcx\n sub %rcx, %rax\n ret\n"
    "done calls_first\n"
    "function calls_word\n call *word(%rip)\n 1: lea 1b(%rip), %rcx\n sub %rcx, %rax\n ret\n"
    "done calls_word\n"
    "function calls_register\n lea where(%rip), %r11\n push %rbx\n call inner\n pop %rbx\n ret\n"
    "done calls_register\n"
    "function inner\n nop\n nop\n call *%r11\n 1: lea 1b(%rip), %rcx\n sub %rcx, %rax\n ret\n"
    "done inner\n"
    "function calls_memory\n lea word-8(%rip), %rdi\n push %rbx\n call inner_memory\n pop %rbx\n "
    "ret\n"
    "done calls_memory\n"
    "function inner_memory\n push %rbx\n nop\n nop\n call *8(%rdi)\n 1: lea 1b(%rip), %rcx\n"
    "sub %rcx, %rax\n pop %rbx\n ret\n done inner_memory\n"
    "function own\n lea own(%rip), %rax\n ret\n done own\n"
    "function again\n dec %edi\n jg again\n mov $8, %eax\n ret\n done again\n"
    "function leaves\n ret\n done leaves\n"
    "function traps\n xor %eax, %eax\n ret\n done traps\n"
    ".fill 12, 1, 0xcc\n"
    ".data\n data: .long 9\n .quad 0x123456789\n byte: .byte 5\n"
    ".p2align 3\n word: .quad where\n";

struct call {
    const char *name;
    long argument;
};

static long run(const struct library *library, const char *name, long argument)
{
    void *found = dlsym(library->handle, name);
    long (*function)(long);
    memcpy(&function, &found, sizeof function);
    return function(argument);
}

static void moved(void)
{
    static const struct call tries[] = {
        {"store", 0},        {"compare", 0},     {"load", 0},       {"branch", 0},
        {"branch", 1},       {"counter", 0},     {"counter", 1},    {"looping", 0},
        {"calls", 0},        {"calls_first", 0}, {"calls_word", 0}, {"calls_register", 0},
        {"calls_memory", 0}, {"own", 0},         {"leaves", 0},     {"traps", 0},
        {"tail", 0}};
    struct library library;
    long before[sizeof tries / sizeof *tries];
    if (!build(&library, "moved", moved_code, "-Wl,-Bsymbolic") || !plan(&library) ||
        !load(&library))
        return;
    check_equal(1, library.plan.left_count, "each function is hooked but");
    check_equal(FISQL_PATCH_RETURN, how(&library, "where"), "the one that looks where it returns");
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        before[i] = run(&library, tries[i].name, tries[i].argument);
    patch(&library);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        uint64_t calls = calls_of(&library, tries[i].name);
        long after = run(&library, tries[i].name, tries[i].argument);
        bool place = strcmp(tries[i].name, "tail") == 0 || strcmp(tries[i].name, "leaves") == 0;
        check(place || after == before[i], "%s gives %ld as before", tries[i].name, after);
        check_equal(calls + 1, calls_of(&library, tries[i].name), "and is counted");
    }
    check(run(&library, "again", 5) == 8 && calls_of(&library, "again") == 5,
          "a jump to a function's entry is a call");
    release(&library);
}

/* ---- hops ---- */

static const char hops_code[] =
    "function any\n mov $1, %eax\n mov $2, %ecx\n add %ecx, %eax\n ret\n done any\n"
    "packed tiny\n xor %eax, %eax\n ret\n done tiny\n"
    "packed sums\n xor %eax, %eax\n 1: add %edi, %eax\n dec %edi\n jnz 1b\n ret\n done sums\n"
    "packed donor\n mov %edi, %eax\n add $3, %eax\n add $4, %eax\n add $5, %eax\n ret\n"
    "done donor\n"
    "packed least\n ret\n done least\n"
    "packed at_once\n nop\n 1: dec %edi\n jnz 1b\n mov $7, %eax\n ret\n done at_once\n"
    "packed third\n mov %edi, %eax\n ret\n done third\n";

static void hops(void)
{
    static const struct call tries[] = {{"tiny", 0}, {"sums", 4}, {"any", 0}, {"donor", 1}};
    struct library library;
    long before[sizeof tries / sizeof *tries];
    if (!build(&library, "hops", hops_code, "") || !plan(&library) || !load(&library))
        return;
    check_equal(FISQL_PATCH_SHORT, how(&library, "least"), "a byte is too short for a short jump");
    check_equal(FISQL_PATCH_ENTERED, how(&library, "at_once"), "one of two may not be jumped to");
    check_equal(FISQL_PATCH_SHORT, how(&library, "third"), "each donor has one hop");
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        before[i] = run(&library, tries[i].name, tries[i].argument);
    patch(&library);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        uint64_t calls = calls_of(&library, tries[i].name);
        check_equal(before[i], run(&library, tries[i].name, tries[i].argument), tries[i].name);
        check_equal(calls + 1, calls_of(&library, tries[i].name), "by a hop it is counted");
    }
    release(&library);
}

/* ---- what is left out ---- */

static const char left_code[] =
    "function any\n mov $1, %eax\n ret\n done any\n"
    "function start\n .cfi_undefined rip\n xor %ebp, %ebp\n mov %rsp, %rdi\n hlt\n done start\n"
    "function entered\n xor %eax, %eax\n 1: inc %eax\n cmp %edi, %eax\n jl 1b\n ret\n done "
    "entered\n"
    "function switched\n xor %eax, %eax\n .Lhead: lea table(%rip), %rdx\n inc %eax\n"
    "movslq (%rdx,%rdi,4), %rcx\n add %rdx, %rcx\n jmp *%rcx\n .Lend: ret\n done switched\n"
    "function early\n push %rbx\n call *%rdi\n pop %rbx\n ret\n done early\n"
    "function unreadable\n .byte 0x06, 0x06, 0x06, 0x06, 0x06\n ret\n done unreadable\n"
    "function keeps\n lea 8(%rsp), %rdx\n mov %rdx, (%rdi)\n mov (%rsp), %rax\n mov %rax, 8(%rdi)\n"
    "xor %eax, %eax\n ret\n done keeps\n"
    "function pops\n pop %rdi\n mov $58, %eax\n syscall\n push %rdi\n ret\n done pops\n"
    "function asks\n push %rbp\n mov %rsp, %rbp\n sub $32, %rsp\n mov 8(%rbp), %rdi\n leave\n ret\n"
    "done asks\n"
    "function asks_later\n push %rbx\n sub $32, %rsp\n test %rdi, %rdi\n je 1f\n call any\n"
    "mov 40(%rsp), %rax\n 1: add $32, %rsp\n pop %rbx\n ret\n done asks_later\n"
    "function fence\n lock orq $0, (%rsp)\n ret\n done fence\n"
    "function argument\n push %rbx\n mov 16(%rsp), %rax\n pop %rbx\n ret\n done argument\n"
    "function far\n lea 0x7000000(%rip), %rax\n ret\n done far\n"
    "function framed\n .cfi_def_cfa_offset 16\n mov $1, %eax\n ret\n done framed\n"
    "function landing\n nop\n .cfi_def_cfa_offset 32\n mov %rax, %rdi\n ud2\n done landing\n"
    ".p2align 4\n"
    "packed short_one\n ret\n done short_one\n"
    "packed short_two\n xor %eax, %eax\n ret\n done short_two\n"
    "packed behind\n mov $2, %eax\n ret\n done behind\n"
    ".p2align 4\n .globl frameless\n .type frameless, @function\n frameless: mov $3, %eax\n ret\n"
    ".size frameless, . - frameless\n"
    ".section .rodata\n .p2align 2\n table: .long .Lhead - table, .Lend - table\n .long 0\n";

static void left_out(void)
{
    static const struct {
        const char *name;
        int how;
    } expected[] = {{"any", FISQL_PATCH_HOOKED},        {"start", FISQL_PATCH_START},
                    {"entered", FISQL_PATCH_ENTERED},   {"early", FISQL_PATCH_UNMOVABLE},
                    {"switched", FISQL_PATCH_ENTERED},  {"unreadable", FISQL_PATCH_UNREADABLE},
                    {"far", FISQL_PATCH_FAR},           {"framed", FISQL_PATCH_PART},
                    {"keeps", FISQL_PATCH_RETURN},      {"pops", FISQL_PATCH_RETURN},
                    {"asks", FISQL_PATCH_RETURN},       {"asks_later", FISQL_PATCH_RETURN},
                    {"fence", FISQL_PATCH_HOOKED},      {"argument", FISQL_PATCH_HOOKED},
                    {"landing", FISQL_PATCH_PART},      {"short_one", FISQL_PATCH_SHORT},
                    {"short_two", FISQL_PATCH_SHORT},   {"behind", FISQL_PATCH_HOOKED},
                    {"frameless", FISQL_PATCH_NO_FRAME}};
    struct library library;
    if (!build(&library, "left", left_code, "") || !plan(&library) || !load(&library))
        return;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        check_equal(expected[i].how, how(&library, expected[i].name), expected[i].name);
    release(&library);
}

/* ---- cold parts ---- */

/* Descriptions in the order of compilers: each cold part behind its function. */
static const char cold_code[] =
    "function any\n test %edi, %edi\n js any.cold\n mov $1, %eax\n ret\n done any\n"
    ".section .text.unlikely, \"ax\"\n .type any.cold, @function\n any.cold:\n .cfi_startproc\n"
    "neg %edi\n mov $2, %eax\n ret\n .cfi_endproc\n .size any.cold, . - any.cold\n .text\n"
    "function plain\n mov %edi, %eax\n jmp plain.cold\n done plain\n"
    ".section .text.unlikely, \"ax\"\n .type plain.cold, @function\n plain.cold:\n .cfi_startproc\n"
    "mov $2, %eax\n ret\n .cfi_endproc\n .size plain.cold, . - plain.cold\n .text\n"
    ".p2align 4\n .type callee, @function\n callee: .cfi_startproc\n mov $3, %eax\n ret\n"
    ".cfi_endproc\n .size callee, . - callee\n"
    "function caller\n test %edi, %edi\n js callee\n mov $4, %eax\n ret\n done caller\n";

static void cold(void)
{
    struct library library;
    if (!build(&library, "cold", cold_code, "") || !plan(&library) || !load(&library))
        return;
    check_equal(4, library.plan.plan->entries_count, "cold parts are no functions by their names");
    check_equal(FISQL_PATCH_HOOKED, how(&library, "caller"), "what jumps to another function is");
    release(&library);
    if (!build(&library, "bare", cold_code, "-s") || !plan(&library) || !load(&library))
        return;
    check_equal(4, library.plan.plan->entries_count, "nor without names");
    check_equal(4, patch_plan_functions(&library.plan), "and nothing is left out");
    release(&library);
}

static void debug_frame(void)
{
    struct library library;
    if (!build(&library, "plain",
               ".cfi_sections .debug_frame\n function any\n mov $1, %eax\n ret\n done any\n", "") ||
        !plan(&library) || !load(&library))
        return;
    check(elf_file_section(&library.file, ".eh_frame") == NULL ||
              elf_file_section(&library.file, ".eh_frame")->size_bytes < 8,
          "a library without .eh_frame");
    check_equal(FISQL_PATCH_HOOKED, how(&library, "any"), "its .debug_frame serves as well");
    release(&library);
}

/* ---- files that are damaged ---- */

static uint64_t random_number(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Plans a file of these bytes; is what comes of it sound? */
static bool plans_soundly(const unsigned char *bytes, size_t size_bytes)
{
    struct elf_file module;
    struct patch_plan plan = {.problem = NULL};
    struct error error;
    uint64_t start, end;
    bool sound = write_file("damaged.so", bytes, size_bytes);
    if (elf_file_open(&module, "damaged.so") == NULL)
        sound =
            sound && patch_plan_make(&plan, &module, &error) == 0 &&
            (plan.plan == NULL || plan.plan->entries_count == 0) == (plan.problem != NULL) &&
            (plan.plan == NULL || (patch_code_range(&module, &start, &end) &&
                                   fisql_patch_is_sound(plan.plan, plan.plan->bytes, start, end)));
    patch_plan_release(&plan);
    elf_file_close(&module);
    return sound;
}

/* Its header, and sections that are read; elsewhere a change means less. */
static size_t place_to_damage(const struct elf_file *file)
{
    static const char *const names[] = {".eh_frame", ".dynamic", ".symtab", ".text", ".rela.dyn"};
    unsigned turn = (unsigned)(random_number() % 8);
    const struct elf_section *section = turn < 5 ? elf_file_section(file, names[turn]) : NULL;
    if (section != NULL && section->data != NULL && section->size_bytes > 0)
        return (size_t)(section->data - file->bytes) + random_number() % section->size_bytes;
    if (turn == 5)
        return random_number() % 1024;
    if (turn == 6) /* the section headers */
        return file->size_bytes - 1 - random_number() % (64 * file->sections_count);
    return random_number() % file->size_bytes;
}

static void damaged(const char *path)
{
    struct elf_file file;
    size_t unsound = 0;
    if (!check(elf_file_open(&file, path) == NULL, "%s: opened", path))
        return;
    unsigned char *bytes = malloc(file.size_bytes);
    for (int i = 0; i < 2000; i++) {
        memcpy(bytes, file.bytes, file.size_bytes);
        for (uint64_t k = random_number() % 8 + 1; k > 0; k--)
            bytes[place_to_damage(&file)] = (unsigned char)random_number();
        unsound += !plans_soundly(bytes, file.size_bytes);
    }
    check_equal(0, unsound, "changed at random, it is planned soundly");
    memcpy(bytes, file.bytes, file.size_bytes);
    for (size_t kept = 0; kept < file.size_bytes; kept += 97)
        unsound += !plans_soundly(bytes, kept);
    check_equal(0, unsound, "and cut off");
    /* Without section headers. */
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    header.e_shoff = header.e_shnum = header.e_shstrndx = 0;
    memcpy(bytes, &header, sizeof header);
    struct library library = {.path = "headless.so"};
    if (write_file(library.path, bytes, file.size_bytes) && plan(&library))
        check(library.plan.plan != NULL && library.plan.plan->entries_count > 0,
              "without section headers it is planned, too");
    release(&library);
    free(bytes);
    elf_file_close(&file);
}

/* ---- links ---- */

static bool stays_sound(const struct fisql_patch *plan, uint64_t start, uint64_t end)
{
    return fisql_patch_is_sound(plan, plan->bytes, start, end);
}

/* Calls of other modules: by the linkage table, by a word, by a register, as the first instruction
 * and by a jump; and an address that is passed on. Where links or references are damaged, the plan
 * is refused. */
static void links(void)
{
    static const char text[] = " function caller\n sub $8, %rsp\n call strlen@PLT\n"
                               " call *strcmp@GOTPCREL(%rip)\n mov memcmp@GOTPCREL(%rip), %rax\n"
                               " call *%rax\n mov free@GOTPCREL(%rip), %rdi\n call setjmp@PLT\n"
                               " add $8, %rsp\n ret\n done caller\n"
                               " function first\n call *strcmp@GOTPCREL(%rip)\n ret\n done first\n"
                               " function jumps\n jmp *strcmp@GOTPCREL(%rip)\n done jumps\n";
    static const char *const names[] = {"memcmp", "strcmp", "strlen"};
    struct library library;
    uint64_t start, end;
    uint32_t found = 0, moved = 0;
    if (!build(&library, "links", text, "") || !plan(&library) ||
        !check(library.plan.plan != NULL && patch_code_range(&library.file, &start, &end),
               "it has a plan"))
        return;
    struct fisql_patch *made = library.plan.plan;
    struct fisql_patch_link *link = fisql_patch_links(made);
    struct fisql_patch_reference *reference =
        (struct fisql_patch_reference *)(uintptr_t)fisql_patch_references(made);
    for (uint32_t i = 0; i < made->links_count; i++)
        for (unsigned k = 0; k < 3; k++)
            found += strcmp(fisql_patch_text(made, link[i].name), names[k]) == 0;
    for (uint32_t i = 0; i < made->references_count; i++)
        moved += (reference[i].flags & FISQL_PATCH_IN_STUB) != 0;
    check_equal(3, made->links_count,
                "links: not what returns twice, nor an address that is passed");
    check_equal(3, found, "they are those that it calls");
    check_equal(5, made->references_count, "each place that leads there, the linkage table's once");
    check_equal(2, moved, "two of them move to stubs");
    check(stays_sound(made, start, end), "it is sound");
    struct fisql_patch_link kept = *link;
    link->name = (uint32_t)made->texts_bytes;
    check(!stays_sound(made, start, end), "not with a name outside");
    *link = kept;
    link->stub = (uint32_t)made->code_bytes;
    check(!stays_sound(made, start, end), "nor with a stub outside");
    *link = kept;
    struct fisql_patch_reference was = *reference;
    reference->link = made->links_count;
    check(!stays_sound(made, start, end), "nor with a reference to no link");
    *reference = was;
    reference->place = end - 3;
    check(!stays_sound(made, start, end), "nor with one across the end");
    *reference = was;
    made->texts_bytes--;
    check(!stays_sound(made, start, end), "nor with texts that do not end");
    made->texts_bytes++;
    made->entries_code_bytes = made->code_bytes + 1;
    check(!stays_sound(made, start, end), "nor with entries that need more code than there is");
    release(&library);
}

/* ---- the cache ---- */

static bool same_plans(const struct patch_plan *a, const struct patch_plan *b)
{
    if (a->plan == NULL || b->plan == NULL || a->left_count != b->left_count)
        return false;
    for (size_t i = 0; i < a->left_count; i++)
        if (a->left[i].address != b->left[i].address || a->left[i].reason != b->left[i].reason)
            return false;
    return a->plan->bytes == b->plan->bytes && memcmp(a->plan, b->plan, a->plan->bytes) == 0;
}

static char cached[200];

/* Opens the plan with the cache in this state. Is it the made one, and is there a cache then? */
static void reopen(const struct library *library, const char *what)
{
    struct patch_plan plan;
    struct error error;
    struct stat status = {0};
    check(patch_plan_open_timed(&plan, library->path, library->file.build_id, "cache", 0, &error) ==
                  0 &&
              same_plans(&plan, &library->plan) && stat(cached, &status) == 0 &&
              (status.st_mode & 0777) == 0600,
          "the plan is the same %s", what);
    patch_plan_release(&plan);
}

static void change_byte(off_t offset)
{
    unsigned char byte = 0;
    int descriptor = open(cached, O_RDWR);
    check(pread(descriptor, &byte, 1, offset) == 1, "the cache has a byte there");
    byte ^= 0x40;
    check(pwrite(descriptor, &byte, 1, offset) == 1, "which is changed");
    close(descriptor);
}

static void cache(void)
{
    struct library library = {.path = "left.so"};
    struct patch_plan other;
    struct error error;
    if (!plan(&library))
        return;
    snprintf(cached, sizeof cached, "cache/%s.patches", library.file.build_id);
    check(patch_plan_open(&other, library.path, library.file.build_id, "cache", &error) == 0 &&
              same_plans(&other, &library.plan) && access(cached, F_OK) != 0,
          "what took no time is not kept");
    patch_plan_release(&other);
    reopen(&library, "when it is made");
    reopen(&library, "from the cache");
    for (off_t offset = 0; offset < 240; offset += 60) {
        change_byte(offset);
        reopen(&library, "when that is damaged");
    }
    check(truncate(cached, 100) == 0, "the cache is cut off");
    reopen(&library, "then");
    check(chmod(cached, 0622) == 0, "others may write to it");
    reopen(&library, "then, too");
    check(patch_plan_open(&other, library.path, "0123456789", NULL, &error) == 0 &&
              other.plan == NULL && other.problem != NULL,
          "another build-id is noticed");
    patch_plan_release(&other);
    check(patch_plan_open(&other, "nowhere", "", NULL, &error) == 0 && other.plan == NULL,
          "and a file that is missing");
    check_string("missing", other.problem, "which is the problem");
    patch_plan_release(&other);
    release(&library);
}

/* Without a build-id the cache knows a file by its place and its last change, which nobody can turn
 * back. */
static void cache_unnamed(void)
{
    struct library library, other;
    if (!build(&library, "unnamed", "function any\n mov $1, %eax\n ret\n done any\n",
               "-Wl,--build-id=none") ||
        !plan(&library))
        return;
    check_string("", library.file.build_id, "a file has no build-id");
    snprintf(cached, sizeof cached, "cache/%s.patches", library.file.cache_name);
    reopen(&library, "when it is made");
    reopen(&library, "from the cache");
    change_byte(60);
    reopen(&library, "when that is damaged");
    struct stat status;
    check(stat(library.path, &status) == 0, "the file has times");
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* the kernel's clock has ticks */
    int descriptor = open(library.path, O_WRONLY);
    check(pwrite(descriptor, "", 0, 0) == 0 &&
              futimens(descriptor, (struct timespec[]){status.st_atim, status.st_mtim}) == 0 &&
              close(descriptor) == 0,
          "which somebody sets as they were");
    snprintf(other.path, sizeof other.path, "%s", library.path);
    check(elf_file_open(&other.file, other.path) == NULL &&
              strcmp(other.file.cache_name, library.file.cache_name) != 0,
          "it has another name in the cache");
    elf_file_close(&other.file);
    release(&library);
}

#endif

int main(void)
{
    reasons();
    other_machine();
#ifdef __x86_64__
    const char *folder = getenv("TEST_TMP");
    char own[] = "/tmp/fisql-patch-XXXXXX";
    if (chdir(folder != NULL ? folder : mkdtemp(own)) != 0)
        return 1;
    moved();
    hops();
    left_out();
    cold();
    debug_frame();
    damaged("left.so");
    damaged("moved.so");
    links();
    cache();
    cache_unnamed();
#endif
    return check_status();
}
