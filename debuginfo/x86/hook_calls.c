/*
 * Finding calls of the enter hook: see hook_calls.h.
 *
 * A call can go to the hook itself (static links, libfisql.a), to a stub of the procedure linkage
 * table that jumps through a word with the hook's address, or through such a word directly
 * (-fno-plt). Relocations identify these words: by the symbol's name, or, if the hook lies in the
 * module itself, by its address as addend or as the word's content.
 *
 * On x86-64 we do not decode instructions: we try each byte as the opcode of a call (e8, ff 15) or
 * jump (e9, ff 25). A constant in the code looks like a call of exactly this address only by a
 * coincidence of 32 bits.
 */
#include "debuginfo/x86/hook_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define PIECE_BYTES 65536u

static int add_address(uint64_t **list, size_t *count, size_t *capacity, uint64_t address,
                       struct error *error)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == address)
            return 0;
    if (array_reserve(list, capacity, *count + 1, error) != 0)
        return -1;
    (*list)[(*count)++] = address;
    return 0;
}

static int add_target(struct hook_calls *hooks, uint64_t address, struct error *error)
{
    return add_address(&hooks->targets, &hooks->targets_count, &hooks->targets_capacity, address,
                       error);
}

static bool contains(const uint64_t *list, size_t count, uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == address)
            return true;
    return false;
}

static uint64_t relative(const unsigned char *at, uint64_t address_after)
{
    int32_t distance;
    memcpy(&distance, at, sizeof distance);
    return address_after + (uint64_t)(int64_t)distance;
}

struct search {
    struct hook_calls *hooks;
    struct error *error;
};

static int visit_symbol(void *context, const struct elf_symbol *symbol)
{
    struct search *search = context;
    if (strcmp(symbol->name, search->hooks->name) != 0 || symbol->address == 0)
        return 0;
    search->hooks->defined = true;
    return add_target(search->hooks, symbol->address, search->error);
}

/* The words that a table of relocations fills. */
static int read_relocations(struct hook_calls *hooks, const struct elf_section *table,
                            struct error *error)
{
    const struct elf_file *file = hooks->file;
    Elf64_Rela entry;
    const struct elf_section *symbols =
        table->link < file->sections_count ? &file->sections[table->link] : NULL;
    for (uint64_t i = 0; i < table->size_bytes / sizeof entry; i++) {
        memcpy(&entry, table->data + i * sizeof entry, sizeof entry);
        struct elf_symbol symbol = {.name = ""};
        bool defined = false;
        uint32_t index = (uint32_t)ELF64_R_SYM(entry.r_info);
        uint64_t value = index == 0 ? (uint64_t)entry.r_addend : 0;
        if (index != 0 && symbols != NULL &&
            elf_file_symbol(file, symbols, index, &symbol, &defined) && defined)
            value = symbol.address + (uint64_t)entry.r_addend;
        if (strcmp(symbol.name, hooks->name) == 0 ||
            (value != 0 && contains(hooks->targets, hooks->targets_count, value))) {
            if (add_address(&hooks->hook_slots, &hooks->hook_slots_count,
                            &hooks->hook_slots_capacity, entry.r_offset, error) != 0)
                return -1;
        } else if (entry.r_offset >= hooks->slots_start && entry.r_offset < hooks->slots_end) {
            if (array_reserve(&hooks->slots, &hooks->slots_capacity, hooks->slots_count + 1,
                              error) != 0)
                return -1;
            hooks->slots[hooks->slots_count++] = (struct hook_slot){entry.r_offset, value};
        }
    }
    return 0;
}

static bool is_hook_slot(const struct hook_calls *hooks, uint64_t address)
{
    if (contains(hooks->hook_slots, hooks->hook_slots_count, address))
        return true;
    if (address < hooks->slots_start || address >= hooks->slots_end)
        return false;
    const unsigned char *word = elf_file_at(hooks->file, address, 8);
    uint64_t value = 0;
    if (word != NULL)
        memcpy(&value, word, sizeof value);
    return value != 0 && contains(hooks->targets, hooks->targets_count, value);
}

/* x86-64: `jmp *word(%rip)`, perhaps after a bnd prefix and an endbr64. */
static int find_stubs_x86(struct hook_calls *hooks, const struct elf_section *stubs,
                          struct error *error)
{
    const unsigned char *code = stubs->data;
    static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    for (uint64_t i = 0; i + 6 <= stubs->size_bytes; i++) {
        if (code[i] != 0xff || code[i + 1] != 0x25 ||
            !is_hook_slot(hooks, relative(code + i + 2, stubs->address + i + 6)))
            continue;
        uint64_t start = i;
        if (add_target(hooks, stubs->address + start, error) != 0)
            return -1;
        if (start >= 1 && code[start - 1] == 0xf2)
            start--;
        if (start >= 4 && memcmp(code + start - 4, endbr, 4) == 0)
            start -= 4;
        if (add_target(hooks, stubs->address + start, error) != 0)
            return -1;
    }
    return 0;
}

/* aarch64: adrp x16, page; ldr x17, [x16, #offset]; perhaps after a bti. */
static int find_stubs_arm(struct hook_calls *hooks, const struct elf_section *stubs,
                          struct error *error)
{
    for (uint64_t i = 0; i + 8 <= stubs->size_bytes; i += 4) {
        uint32_t page, load;
        memcpy(&page, stubs->data + i, 4);
        memcpy(&load, stubs->data + i + 4, 4);
        if ((page & 0x9f00001fu) != 0x90000010u || (load & 0xffc003ffu) != 0xf9400211u)
            continue;
        uint64_t pages = ((uint64_t)(page >> 5 & 0x7ffffu) << 2 | (page >> 29 & 3u)) << 43;
        uint64_t address = stubs->address + i;
        uint64_t word = (address & ~(uint64_t)0xfff) + (uint64_t)((int64_t)pages >> 31) +
                        ((uint64_t)(load >> 10 & 0xfffu) << 3);
        if (!is_hook_slot(hooks, word))
            continue;
        if (add_target(hooks, address, error) != 0 || add_target(hooks, address - 4, error) != 0)
            return -1;
    }
    return 0;
}

static int by_address(const void *left, const void *right)
{
    const struct hook_slot *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

int hook_calls_open(struct hook_calls *hooks, const char *name, const struct elf_file *file,
                    const struct elf_file *names, struct error *error)
{
    *hooks = (struct hook_calls){.file = file, .name = name, .slots_start = UINT64_MAX};
    struct search search = {hooks, error};
    if (elf_file_functions(file, SHT_SYMTAB, visit_symbol, &search) != 0 ||
        elf_file_functions(file, SHT_DYNSYM, visit_symbol, &search) != 0 ||
        (names != NULL && elf_file_functions(names, SHT_SYMTAB, visit_symbol, &search) != 0))
        return -1;
    for (uint32_t i = 0; i < file->sections_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if (strncmp(section->name, ".got", 4) != 0 ||
            section->address > UINT64_MAX - section->size_bytes)
            continue;
        uint64_t end = section->address + section->size_bytes;
        if (section->address < hooks->slots_start)
            hooks->slots_start = section->address;
        if (end > hooks->slots_end)
            hooks->slots_end = end;
    }
    const struct elf_section *table = elf_file_section(file, ".got.plt");
    if (table == NULL)
        table = elf_file_section(file, ".got");
    hooks->table = table != NULL ? table->address : 0;
    for (uint32_t i = 0; i < file->sections_count; i++)
        if (file->sections[i].type == SHT_RELA && file->sections[i].data != NULL &&
            read_relocations(hooks, &file->sections[i], error) != 0)
            return -1;
    if (hooks->slots_count > 0)
        qsort(hooks->slots, hooks->slots_count, sizeof *hooks->slots, by_address);
    for (uint32_t i = 0; i < file->sections_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if (strncmp(section->name, ".plt", 4) != 0 || section->data == NULL)
            continue;
        if ((file->machine == EM_X86_64 && find_stubs_x86(hooks, section, error) != 0) ||
            (file->machine == EM_AARCH64 && find_stubs_arm(hooks, section, error) != 0))
            return -1;
    }
    return 0;
}

bool hook_calls_is_target(const struct hook_calls *hooks, uint64_t address)
{
    return contains(hooks->targets, hooks->targets_count, address);
}

bool hook_calls_is_slot(const struct hook_calls *hooks, uint64_t address)
{
    return is_hook_slot(hooks, address);
}

void hook_calls_close(struct hook_calls *hooks)
{
    free(hooks->targets);
    free(hooks->hook_slots);
    free(hooks->slots);
    *hooks = (struct hook_calls){0};
}

/* The value of a word of the global offset table; 0 = not known. */
static uint64_t slot_value(const struct hook_calls *hooks, uint64_t address)
{
    struct hook_slot key = {address, 0};
    if (address < hooks->slots_start || address >= hooks->slots_end || hooks->slots_count == 0)
        return 0;
    const struct hook_slot *slot =
        bsearch(&key, hooks->slots, hooks->slots_count, sizeof *hooks->slots, by_address);
    return slot != NULL ? slot->value : 0;
}

/* The address that the instruction ending with the 32-bit number at `i` puts into a register: lea
 * n(%rip), mov word(%rip), mov $n. 0 if it is none of these. */
static uint64_t named_address(const struct hook_calls *hooks, const unsigned char *code, uint64_t i,
                              uint64_t start)
{
    if (i >= 3 && (code[i - 3] & 0xfb) == 0x48 && (code[i - 1] & 0xc7) == 0x05) {
        uint64_t address = relative(code + i, start + i + 4);
        if (code[i - 2] == 0x8d)
            return address;
        if (code[i - 2] == 0x8b)
            return slot_value(hooks, address);
    }
    if (hooks->file->type == ET_EXEC && i >= 1 &&
        ((code[i - 1] & 0xf8) == 0xb8 || (i >= 3 && (code[i - 3] & 0xfe) == 0x48 &&
                                          code[i - 2] == 0xc7 && (code[i - 1] & 0xf8) == 0xc0))) {
        uint32_t value;
        memcpy(&value, code + i, sizeof value);
        return value;
    }
    return 0;
}

static bool is_large_target(const struct hook_calls *hooks, uint64_t value)
{
    return contains(hooks->targets, hooks->targets_count, value) ||
           contains(hooks->targets, hooks->targets_count, hooks->table + value) ||
           (value != 0 && is_hook_slot(hooks, hooks->table + value));
}

/* Does an opcode of a call or jump to the hook end at code[i - 1]? */
static bool is_call_x86(const struct hook_calls *hooks, const unsigned char *code, uint64_t i,
                        uint64_t start, uint64_t size)
{
    unsigned char opcode = code[i - 1], before = i >= 2 ? code[i - 2] : 0;
    if ((opcode & 0xfe) == 0xe8)
        return contains(hooks->targets, hooks->targets_count, relative(code + i, start + i + 4));
    if (before == 0xff && (opcode == 0x15 || opcode == 0x25))
        return is_hook_slot(hooks, relative(code + i, start + i + 4));
    if ((before & 0xfe) != 0x48 || (opcode & 0xf8) != 0xb8 || size - i < 8)
        return false;
    /* -mcmodel=large: movabs of the hook's address, or of its distance to the offset table. */
    uint64_t value;
    memcpy(&value, code + i, sizeof value);
    return is_large_target(hooks, value);
}

/* A table first, because we look at all code of the C library. */
static bool calls_x86(const struct hook_calls *hooks, const unsigned char *code, uint64_t start,
                      uint64_t size)
{
    static const bool may_end_opcode[256] = {
        [0x15] = true, [0x25] = true, [0xb8] = true, [0xb9] = true, [0xba] = true, [0xbb] = true,
        [0xbc] = true, [0xbd] = true, [0xbe] = true, [0xbf] = true, [0xe8] = true, [0xe9] = true};
    for (uint64_t i = 1; i + 4 <= size; i++)
        if (may_end_opcode[code[i - 1]] && is_call_x86(hooks, code, i, start, size))
            return true;
    return false;
}

static enum hook_evidence evidence_x86(const struct hook_calls *hooks, const unsigned char *code,
                                       uint64_t start, uint64_t size, uint64_t function)
{
    bool own = false, other = false;
    if (!calls_x86(hooks, code, start, size))
        return HOOK_NONE;
    for (uint64_t i = 0; i + 4 <= size; i++) {
        uint64_t named = named_address(hooks, code, i, start);
        if (named == function && named != 0)
            own = true;
        else if (named != 0 && (named < start || named >= start + size) &&
                 elf_file_is_code(hooks->file, named))
            other = true;
    }
    return own || !other ? HOOK_OWN : HOOK_OTHER;
}

enum hook_evidence hook_calls_in(const struct hook_calls *hooks, uint64_t start, uint64_t end,
                                 uint64_t function)
{
    if (!hook_calls_any(hooks) || end <= start)
        return HOOK_NONE;
    uint64_t size = end - start;
    const unsigned char *code = elf_file_at(hooks->file, start, size);
    if (code == NULL)
        return HOOK_NONE;
    if (hooks->file->machine == EM_X86_64)
        return evidence_x86(hooks, code, start, size, function);
    for (uint64_t i = 0; i + 4 <= size && hooks->file->machine == EM_AARCH64; i += 4) {
        uint32_t word;
        memcpy(&word, code + i, 4);
        if ((word & 0x7c000000u) != 0x14000000u)
            continue;
        int64_t distance = (int64_t)((uint64_t)(word & 0x3ffffffu) << 38) >> 36;
        if (contains(hooks->targets, hooks->targets_count, start + i + (uint64_t)distance))
            return HOOK_OWN;
    }
    return HOOK_NONE;
}

/* Does the code from start to end call the hook? Reads it in pieces that overlap by an instruction,
 * because the first piece mostly decides. */
static bool calls_within(const struct hook_calls *hooks, uint64_t start, uint64_t end)
{
    for (uint64_t at = start; at < end; at += PIECE_BYTES) {
        uint64_t piece_end = end - at > PIECE_BYTES + 16 ? at + PIECE_BYTES + 16 : end;
        if (hook_calls_in(hooks, at, piece_end, 0) != HOOK_NONE)
            return true;
        if (end - at <= PIECE_BYTES)
            break;
    }
    return false;
}

bool hook_calls_made(const struct hook_calls *hooks)
{
    const struct elf_file *file = hooks->file;
    if (!hook_calls_any(hooks) || !hooks->defined)
        return hook_calls_any(hooks);
    for (uint32_t i = 0; i < file->sections_count; i++) {
        const struct elf_section *section = &file->sections[i];
        uint64_t start = section->address, size = section->size_bytes;
        if ((section->flags & SHF_EXECINSTR) != 0 && strncmp(section->name, ".plt", 4) != 0 &&
            size <= UINT64_MAX - start && calls_within(hooks, start, start + size))
            return true;
    }
    return false;
}
