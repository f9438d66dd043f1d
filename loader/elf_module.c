/*
 * Reading ELF files: see elf_module.h.
 *
 * How a call of the hook is recognised (x86-64): `call rel32` or `jmp rel32` to the hook or to its
 * PLT stub, or `call/jmp *slot(%rip)` through its GOT slot; a stub is an entry of a .plt section
 * that jumps through the slot. On aarch64 `bl` and `b` to the hook or a stub. A stray match of four
 * bytes is all but impossible. On other machines each function of a module that uses the hooks
 * counts as instrumented.
 */
#include "loader/elf_module.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOOK "__cyg_profile_func_enter"

static void find_build_id(struct elf_module *module, Elf_Data *data)
{
    size_t offset = 0, name, text;
    GElf_Nhdr note;
    while (data != NULL && (offset = gelf_getnote(data, offset, &note, &name, &text)) > 0) {
        const unsigned char *bytes = (const unsigned char *)data->d_buf;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            memcmp(bytes + name, "GNU", 4) != 0 || note.n_descsz > 64)
            continue;
        for (size_t i = 0; i < note.n_descsz; i++)
            snprintf(module->build_id + 2 * i, 3, "%02x", bytes[text + i]);
    }
}

static const char *symbol_name(const struct elf_module *module, const GElf_Shdr *table,
                               size_t index, GElf_Sym *symbol, Elf_Data *data)
{
    if (gelf_getsym(data, (int)index, symbol) == NULL)
        return NULL;
    return elf_strptr(module->elf, table->sh_link, symbol->st_name);
}

static void find_slots(struct elf_module *module, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Scn *symbols = elf_getscn(module->elf, header->sh_link);
    GElf_Shdr symbols_header;
    Elf_Data *relocations = elf_getdata(section, NULL);
    Elf_Data *symbols_data = symbols != NULL ? elf_getdata(symbols, NULL) : NULL;
    if (relocations == NULL || symbols_data == NULL || header->sh_entsize == 0 ||
        gelf_getshdr(symbols, &symbols_header) == NULL)
        return;
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (gelf_getrela(relocations, (int)i, &relocation) == NULL)
            break;
        const char *name = symbol_name(module, &symbols_header, GELF_R_SYM(relocation.r_info),
                                       &symbol, symbols_data);
        if (name != NULL && strcmp(name, HOOK) == 0 && module->slots_count < ELF_HOOKS_MAX)
            module->slots[module->slots_count++] = relocation.r_offset;
    }
}

static bool is_slot(const struct elf_module *module, uint64_t address)
{
    for (size_t i = 0; i < module->slots_count; i++)
        if (module->slots[i] == address)
            return true;
    return false;
}

static void add_target(struct elf_module *module, uint64_t address)
{
    if (module->targets_count < ELF_HOOKS_MAX)
        module->targets[module->targets_count++] = address;
}

/* Stubs of a .plt section that jump through one of the slots. */
static void find_stubs(struct elf_module *module, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (data == NULL || data->d_buf == NULL)
        return;
    const unsigned char *code = (const unsigned char *)data->d_buf;
    size_t step = header->sh_entsize == 8 ? 8 : 16;
    for (size_t entry = 0; entry + step <= data->d_size; entry += step) {
        uint64_t address = header->sh_addr + entry;
        if (module->machine == EM_X86_64) {
            for (size_t i = 0; i + 6 <= step; i++) {
                int32_t distance;
                memcpy(&distance, code + entry + i + 2, 4);
                if (code[entry + i] == 0xff && code[entry + i + 1] == 0x25 &&
                    is_slot(module, address + i + 6 + (uint64_t)(int64_t)distance)) {
                    add_target(module, address);
                    break;
                }
            }
        } else if (module->machine == EM_AARCH64) {
            uint32_t page, load;
            memcpy(&page, code + entry, 4);
            memcpy(&load, code + entry + 4, 4);
            if ((page & 0x9f000000u) != 0x90000000u || (load & 0xffc00000u) != 0xf9400000u)
                continue;
            int64_t pages =
                (int64_t)((uint64_t)((page >> 5 & 0x7ffffu) << 2 | (page >> 29 & 3u)) << 43) >> 43;
            uint64_t slot = (address & ~(uint64_t)0xfff) + (uint64_t)(pages * 4096) +
                            ((load >> 10 & 0xfffu) << 3);
            if (is_slot(module, slot))
                add_target(module, address);
        }
    }
}

static int visit_hook(void *context, const char *name, uint64_t address, uint64_t size, bool global)
{
    struct elf_module *module = context;
    (void)size;
    (void)global;
    if (strcmp(name, HOOK) == 0)
        add_target(module, address);
    return 0;
}

static void look_through(struct elf_module *module)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(module->elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(module->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        if (header.sh_type == SHT_NOTE && module->build_id[0] == 0)
            find_build_id(module, elf_getdata(section, NULL));
        else if (header.sh_type == SHT_RELA)
            find_slots(module, section, &header);
    }
    for (Elf_Scn *section = NULL; (section = elf_nextscn(module->elf, section)) != NULL;) {
        const char *name = gelf_getshdr(section, &header) != NULL
                               ? elf_strptr(module->elf, names, header.sh_name)
                               : NULL;
        if (name != NULL && strncmp(name, ".plt", 4) == 0 && header.sh_type == SHT_PROGBITS)
            find_stubs(module, section, &header);
    }
    elf_module_symbols(module, visit_hook, module);
}

const char *elf_module_open(struct elf_module *module, const char *path)
{
    struct stat status;
    GElf_Ehdr header;
    *module = (struct elf_module){.file = -1};
    elf_version(EV_CURRENT);
    if (stat(path, &status) != 0)
        return errno == ENOENT ? "missing" : "not readable";
    if (!S_ISREG(status.st_mode))
        return "not a file";
    module->file = open(path, O_RDONLY | O_CLOEXEC);
    if (module->file < 0)
        return "not readable";
    module->elf = elf_begin(module->file, ELF_C_READ_MMAP, NULL);
    if (module->elf == NULL || elf_kind(module->elf) != ELF_K_ELF ||
        gelf_getehdr(module->elf, &header) == NULL)
        return "not an ELF file";
    module->machine = header.e_machine;
    look_through(module);
    return NULL;
}

void elf_module_close(struct elf_module *module)
{
    if (module->elf != NULL)
        elf_end(module->elf);
    if (module->file >= 0)
        close(module->file);
    module->elf = NULL;
    module->file = -1;
}

int elf_module_symbols(const struct elf_module *module, elf_symbol_visit *visit, void *context)
{
    GElf_Shdr header, chosen = {0};
    Elf_Scn *table = NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(module->elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_SYMTAB || (header.sh_type == SHT_DYNSYM && table == NULL))) {
            table = section;
            chosen = header;
        }
    Elf_Data *data = table != NULL ? elf_getdata(table, NULL) : NULL;
    if (data == NULL || chosen.sh_entsize == 0)
        return 0;
    for (size_t i = 1; i < chosen.sh_size / chosen.sh_entsize; i++) {
        GElf_Sym symbol;
        const char *name = symbol_name(module, &chosen, i, &symbol, data);
        int type = GELF_ST_TYPE(symbol.st_info);
        if (name == NULL || name[0] == 0 || symbol.st_shndx == SHN_UNDEF ||
            (type != STT_FUNC && type != STT_GNU_IFUNC))
            continue;
        int result = visit(context, name, symbol.st_value, symbol.st_size,
                           GELF_ST_BIND(symbol.st_info) != STB_LOCAL);
        if (result != 0)
            return result;
    }
    return 0;
}

/* A library that only defines the hooks, as libc does, calls them nowhere. */
static bool calls_anywhere(const struct elf_module *module)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(module->elf, section)) != NULL;)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_PROGBITS &&
            (header.sh_flags & SHF_EXECINSTR) != 0 &&
            elf_module_calls_hook(module, header.sh_addr, header.sh_addr + header.sh_size))
            return true;
    return false;
}

bool elf_module_instrumented(const struct elf_module *module)
{
    return module->slots_count > 0 || (module->targets_count > 0 && calls_anywhere(module));
}

static const unsigned char *code_at(const struct elf_module *module, uint64_t start, uint64_t end)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(module->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_PROGBITS ||
            start < header.sh_addr || end > header.sh_addr + header.sh_size || header.sh_addr == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        if (data != NULL && data->d_buf != NULL && end - header.sh_addr <= data->d_size)
            return (const unsigned char *)data->d_buf + (start - header.sh_addr);
    }
    return NULL;
}

static bool is_target(const struct elf_module *module, uint64_t address)
{
    for (size_t i = 0; i < module->targets_count; i++)
        if (module->targets[i] == address)
            return true;
    return false;
}

bool elf_module_calls_hook(const struct elf_module *module, uint64_t start, uint64_t end)
{
    if (module->slots_count + module->targets_count == 0 || end <= start)
        return false;
    const unsigned char *code = code_at(module, start, end);
    if (code == NULL)
        return false;
    uint64_t size = end - start;
    if (module->machine == EM_AARCH64) {
        for (uint64_t i = 0; i + 4 <= size; i += 4) {
            uint32_t word;
            memcpy(&word, code + i, 4);
            if ((word & 0x7c000000u) != 0x14000000u)
                continue;
            int64_t distance = (int64_t)((uint64_t)(word & 0x3ffffffu) << 38) >> 36;
            if (is_target(module, start + i + (uint64_t)distance))
                return true;
        }
        return false;
    }
    if (module->machine != EM_X86_64)
        return true;
    for (uint64_t i = 0; i + 5 <= size; i++) {
        int32_t distance;
        if (code[i] == 0xe8 || code[i] == 0xe9) {
            memcpy(&distance, code + i + 1, 4);
            if (is_target(module, start + i + 5 + (uint64_t)(int64_t)distance))
                return true;
        } else if (code[i] == 0xff && (code[i + 1] == 0x15 || code[i + 1] == 0x25) &&
                   i + 6 <= size) {
            memcpy(&distance, code + i + 2, 4);
            if (is_slot(module, start + i + 6 + (uint64_t)(int64_t)distance))
                return true;
        }
    }
    return false;
}
