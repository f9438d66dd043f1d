/*
 * See patch_found.h. The stubs are those of links (formats/patch.h), in an area of their own, but for
 * the jump at their end, which goes through a word behind it. A table has them by the addresses of
 * their functions. The area stays executable while one is added: others may be running.
 */
#include "collector/patch/patch_found.h"

#include "collector/patch/patch_lookup.h"

#ifdef FISQL_LINKS
#include "collector/core/filter_passes.h"
#include "collector/core/lock.h"
#include "collector/core/quiet.h"
#include "collector/patch/patch_area.h"
#include "collector/process/process.h"
#include "formats/patch_left.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#define STUBS_MAX 4096u
#define STUB_BYTES 64u
#define STUB_AT 32u   /* where its code begins */
#define TARGET_AT 24u /* behind that: the word with the function's address */
#define AREA_BYTES ((uint64_t)(STUBS_MAX + 1) * STUB_BYTES)

static unsigned char *area; /* its first word: the collector's code for entries */
static uint32_t stubs_used;
static uint32_t lock;
/* By found address: the stub's place; 0 = free. */
static struct found {
    uint64_t address;
    uint32_t place;
} * table;
#define TABLE_PLACES (4 * STUBS_MAX)

static bool area_open(void)
{
    if (area != NULL)
        return true;
    uint64_t bytes = AREA_BYTES + TABLE_PLACES * sizeof *table;
    unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct patch_hooks hooks = patch_choose_hooks();
    if (memory == MAP_FAILED)
        return false;
    table = (struct found *)(void *)(memory + AREA_BYTES);
    memcpy(memory, &hooks, sizeof hooks);
    area = memory;
    return true;
}

static struct found *place_of(uint64_t address)
{
    uint64_t at = (address * 0x9e3779b97f4a7c15u) >> 32;
    for (;; at++) {
        struct found *found = &table[at % TABLE_PLACES];
        if (found->address == 0 || found->address == address)
            return found;
    }
}

/* Makes the stub of a function, which the program found at `address`. */
static bool stub_make(uint32_t place, uint64_t function, uint64_t address)
{
    static const unsigned char code[] = {0xff, 0x15, 0,    0,    0, 0,  /* call *area */
                                         0xff, 0x64, 0x24, 0xf0,        /* jmp *-16(%rsp) */
                                         0xff, 0x25, 8,    0,    0, 0}; /* jmp *target */
    unsigned char *stub = area + (uint64_t)place * STUB_BYTES + STUB_AT;
    unsigned char *page = (unsigned char *)((uintptr_t)(stub - STUB_AT) & ~(uintptr_t)4095);
    const uint64_t words[] = {function, patch_led_to(function)};
    int32_t distance = (int32_t)(area - (stub + 6));
    if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    memcpy(stub - sizeof words, words, sizeof words);
    memcpy(stub, code, sizeof code);
    memcpy(stub + 2, &distance, sizeof distance);
    memcpy(stub + TARGET_AT, &address, sizeof address);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
}

/* The module's function of that name, if it is what was found; 0 = it is not, or is not to be
 * recorded. An IFUNC's choice is another address. */
static uint64_t function_of(const struct linked *module, uint64_t address, const char *name)
{
    const ElfW(Sym) *symbol = patch_lookup_in(module, name, "");
    if (symbol == NULL || fisql_patch_is_left(name) || strcmp(name, FISQL_PATCH_FINDER) == 0)
        return 0;
    uint64_t function = module->bias + symbol->st_value;
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    bool is_it = type == STT_GNU_IFUNC || (type == STT_FUNC && function == address);
    return is_it && !patch_lookup_is_recorded(module, function) &&
                   (process.filtered == 0 || filter_passes(function))
               ? function
               : 0;
}

/* The place of the function's stub; 0 = it has none. */
static uint32_t stub_of(uint64_t address, const char *name)
{
    if (!area_open())
        return 0;
    struct found *found = place_of(address);
    if (found->place != 0 || stubs_used == STUBS_MAX)
        return found->place;
    struct linked_modules *all = patch_lookup_open();
    for (uint32_t i = 0; all != NULL && i < all->count; i++) {
        const struct linked *module = &all->modules[i];
        bool within = address >= module->start && address < module->end;
        uint64_t function = within ? function_of(module, address, name) : 0;
        if (function == 0 || !stub_make(stubs_used + 1, function, address))
            continue;
        struct patch_names names = {.module = module};
        patch_names_put(&names, function, name, false);
        patch_names_end(&names);
        *found = (struct found){address, ++stubs_used};
        break;
    }
    if (all != NULL)
        patch_lookup_close(all);
    return found->place;
}

static void *found(void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    struct quiet quiet;
    if (address == NULL || name == NULL || collector_inside != 0 || !process_recording())
        return address;
    quiet_begin(&quiet);
    lock_acquire(&lock);
    uint32_t place = stub_of((uint64_t)(uintptr_t)address, name);
    lock_release(&lock);
    quiet_end(&quiet);
    return place != 0 ? area + (uint64_t)place * STUB_BYTES + STUB_AT : address;
}

void patch_found_forked(void)
{
    lock_forked(&lock);
}

/* For the two below. */
__attribute__((used)) static void *(*const found_here)(void *, const char *) = found;
__attribute__((used)) static void *(*const found_there)(void *, const char *) = dlsym;

/* RTLD_NEXT is -1, RTLD_DEFAULT 0: jumps, which keep the caller's address. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl patch_found\n"
        ".hidden patch_found\n"
        ".type patch_found, @function\n"
        "patch_found:\n"
        ".cfi_startproc\n"
        "leaq 1(%rdi), %rax\n"
        "cmpq $1, %rax\n"
        "ja 1f\n"
        "jmp *found_there(%rip)\n"
        "1: jmp *found_here(%rip)\n"
        ".cfi_endproc\n"
        ".size patch_found, . - patch_found\n");
#else
void patch_found_forked(void)
{
}
#endif
