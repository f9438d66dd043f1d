/* ELF files: see elf_file.h. We map the file privately and read it in place. Headers are copied out
 * byte by byte: a hostile file may place them at any address. */
#include "debuginfo/elf/elf_file.h"

#include "base/file_look.h"
#include "base/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD_ID_SHORT 8 /* digits; fewer may be of several files */

/* The file's bytes from `offset` on; NULL if it has fewer than `size_bytes` there. */
static const unsigned char *file_bytes(const struct elf_file *file, uint64_t offset,
                                       uint64_t size_bytes)
{
    if (offset > file->size_bytes || size_bytes > file->size_bytes - offset)
        return NULL;
    return file->bytes + offset;
}

/* The NUL-terminated text at an offset of a section, or "". */
static const char *section_text(const struct elf_section *strings, uint64_t offset)
{
    if (strings == NULL || strings->data == NULL || offset >= strings->size_bytes ||
        memchr(strings->data + offset, 0, (size_t)(strings->size_bytes - offset)) == NULL)
        return "";
    return (const char *)strings->data + offset;
}

static void read_sections(struct elf_file *file, const Elf64_Ehdr *header)
{
    Elf64_Shdr first, raw;
    const unsigned char *table = file_bytes(file, header->e_shoff, sizeof first);
    if (header->e_shoff == 0 || header->e_shentsize != sizeof first || table == NULL)
        return;
    memcpy(&first, table, sizeof first);
    uint64_t count = header->e_shnum != 0 ? header->e_shnum : first.sh_size;
    uint32_t names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : first.sh_link;
    if (count > file->size_bytes / sizeof first ||
        file_bytes(file, header->e_shoff, count * sizeof first) == NULL)
        return;
    file->sections = calloc((size_t)count, sizeof *file->sections);
    if (file->sections == NULL) {
        shortage_note(ENOMEM);
        return;
    }
    file->sections_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&raw, table + i * sizeof raw, sizeof raw);
        struct elf_section *section = &file->sections[i];
        section->name = "";
        section->type = raw.sh_type;
        section->flags = raw.sh_flags;
        section->address = raw.sh_addr;
        section->size_bytes = raw.sh_size;
        section->link = raw.sh_link;
        if (raw.sh_type != SHT_NOBITS && raw.sh_type != SHT_NULL)
            section->data = file_bytes(file, raw.sh_offset, raw.sh_size);
    }
    for (uint32_t i = 0; names < count && i < count; i++) {
        memcpy(&raw, table + i * sizeof raw, sizeof raw);
        file->sections[i].name = section_text(&file->sections[names], raw.sh_name);
    }
}

static void read_notes(struct elf_file *file, const unsigned char *data, uint64_t size_bytes)
{
    Elf64_Nhdr note;
    for (uint64_t at = 0; data != NULL && size_bytes - at >= sizeof note;) {
        memcpy(&note, data + at, sizeof note);
        uint64_t name = at + sizeof note;
        uint64_t value = name + (((uint64_t)note.n_namesz + 3) & ~(uint64_t)3);
        uint64_t next = value + (((uint64_t)note.n_descsz + 3) & ~(uint64_t)3);
        if (value > size_bytes || note.n_descsz > size_bytes - value)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(data + name, "GNU", 4) == 0 && note.n_descsz <= ELF_BUILD_ID_MAX) {
            for (uint32_t i = 0; i < note.n_descsz; i++)
                snprintf(file->build_id + (size_t)2 * i, 3, "%02x", data[value + i]);
            return;
        }
        if (next > size_bytes)
            return;
        at = next;
    }
}

static void read_build_id(struct elf_file *file)
{
    for (uint16_t i = 0; i < file->segments_count && file->build_id[0] == 0; i++) {
        Elf64_Phdr segment = elf_file_segment(file, i);
        if (segment.p_type == PT_NOTE)
            read_notes(file, file_bytes(file, segment.p_offset, segment.p_filesz),
                       segment.p_filesz);
    }
    for (uint32_t i = 0; i < file->sections_count && file->build_id[0] == 0; i++)
        if (file->sections[i].type == SHT_NOTE)
            read_notes(file, file->sections[i].data, file->sections[i].size_bytes);
}

static const char *read_headers(struct elf_file *file)
{
    Elf64_Ehdr header;
    if (file->size_bytes < SELFMAG || memcmp(file->bytes, ELFMAG, SELFMAG) != 0)
        return "not an ELF file";
    if (file->size_bytes < sizeof header)
        return "truncated ELF file";
    memcpy(&header, file->bytes, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return "not a 64-bit little-endian ELF file";
    file->machine = header.e_machine;
    file->type = header.e_type;
    if (header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum < PN_XNUM) {
        const unsigned char *segments =
            file_bytes(file, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr));
        file->segments = (const Elf64_Phdr *)(const void *)segments;
        file->segments_count = segments != NULL ? header.e_phnum : 0;
    }
    read_sections(file, &header);
    read_build_id(file);
    if (header.e_shoff != 0 && file->sections_count == 0)
        return "truncated ELF file";
    return NULL;
}

/* Rust's own toolchain, say, has no build-ids. Nobody can set the time of a file's last change of
 * status. */
static void name_cache(struct elf_file *file, const struct stat *status)
{
    if (strlen(file->build_id) >= BUILD_ID_SHORT)
        snprintf(file->cache_name, sizeof file->cache_name, "%s", file->build_id);
    else
        snprintf(file->cache_name, sizeof file->cache_name, "at-%llx-%llx-%llx-%lx",
                 (unsigned long long)status->st_dev, (unsigned long long)status->st_ino,
                 (unsigned long long)status->st_ctim.tv_sec, status->st_ctim.tv_nsec);
}

/* Returns the words for errno. Notes a shortage if the system, not the file, prevents the
 * reading. */
static const char *system_problem(void)
{
    const char *words = strerror(errno);
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EIO)
        shortage_note(errno);
    return words;
}

const char *elf_file_open(struct elf_file *file, const char *path)
{
    struct stat status = {0};
    *file = (struct elf_file){0};
    int descriptor = file_open_regular(path, O_RDONLY, &status);
    if (descriptor < 0)
        return errno == ENOENT || errno == ENOTDIR ? "missing"
               : errno == EINVAL                   ? "not a regular file"
                                                   : system_problem();
    void *map = NULL;
    if (status.st_size != 0)
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (map == MAP_FAILED)
        (void)system_problem();
    close(descriptor);
    if (map == NULL || map == MAP_FAILED)
        return map == NULL ? "empty file" : "cannot be mapped into memory";
    file->bytes = map;
    file->size_bytes = file->map_bytes = (size_t)status.st_size;
    file->modified_ns =
        (size_t)status.st_mtim.tv_sec * 1000000000u + (size_t)status.st_mtim.tv_nsec;
    const char *problem = read_headers(file);
    if (problem == NULL)
        name_cache(file, &status);
    return problem;
}

const char *elf_file_take(struct elf_file *file, void *map, size_t map_bytes, size_t size_bytes)
{
    *file = (struct elf_file){0};
    if (size_bytes == 0)
        return "empty file";
    file->bytes = map;
    file->size_bytes = size_bytes;
    file->map_bytes = map_bytes;
    return read_headers(file);
}

void elf_file_close(struct elf_file *file)
{
    free(file->sections);
    if (file->bytes != NULL)
        munmap((void *)(uintptr_t)file->bytes, file->map_bytes);
    *file = (struct elf_file){0};
}

void elf_file_rest(const struct elf_file *file)
{
    if (file->bytes != NULL)
        madvise((void *)(uintptr_t)file->bytes, file->size_bytes, MADV_DONTNEED);
}

const struct elf_section *elf_file_section(const struct elf_file *file, const char *name)
{
    for (uint32_t i = 0; i < file->sections_count; i++)
        if (strcmp(file->sections[i].name, name) == 0)
            return &file->sections[i];
    return NULL;
}

Elf64_Phdr elf_file_segment(const struct elf_file *file, uint16_t index)
{
    Elf64_Phdr segment;
    memcpy(&segment, (const unsigned char *)(const void *)file->segments + index * sizeof segment,
           sizeof segment);
    return segment;
}

const unsigned char *elf_file_at(const struct elf_file *file, uint64_t address, uint64_t size_bytes)
{
    for (uint16_t i = 0; i < file->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(file, i);
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr)
            continue;
        uint64_t inside = address - segment.p_vaddr;
        if (inside <= segment.p_filesz && size_bytes <= segment.p_filesz - inside &&
            file_bytes(file, segment.p_offset, segment.p_filesz) != NULL)
            return file->bytes + segment.p_offset + inside;
    }
    return NULL;
}

bool elf_file_is_code(const struct elf_file *file, uint64_t address)
{
    for (uint16_t i = 0; i < file->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(file, i);
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
            address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz)
            return true;
    }
    return false;
}

bool elf_file_symbol(const struct elf_file *file, const struct elf_section *table, uint32_t index,
                     struct elf_symbol *symbol, bool *defined)
{
    Elf64_Sym raw;
    if (table->data == NULL || index >= table->size_bytes / sizeof raw ||
        table->link >= file->sections_count)
        return false;
    memcpy(&raw, table->data + index * sizeof raw, sizeof raw);
    unsigned char binding = ELF64_ST_BIND(raw.st_info), type = ELF64_ST_TYPE(raw.st_info);
    unsigned char visibility = ELF64_ST_VISIBILITY(raw.st_other);
    *symbol = (struct elf_symbol){section_text(&file->sections[table->link], raw.st_name),
                                  raw.st_value,
                                  raw.st_size,
                                  binding != STB_LOCAL,
                                  binding == STB_WEAK,
                                  visibility == STV_HIDDEN || visibility == STV_INTERNAL,
                                  type == STT_FUNC || type == STT_GNU_IFUNC,
                                  index};
    *defined = raw.st_shndx != SHN_UNDEF;
    return true;
}

static int visit_symbols(const struct elf_file *file, uint32_t table_type, bool variables,
                         elf_symbol_visit *visit, void *context)
{
    for (uint32_t i = 0; i < file->sections_count; i++) {
        const struct elf_section *table = &file->sections[i];
        if (table->type != table_type || table->data == NULL)
            continue;
        uint64_t count = table->size_bytes / sizeof(Elf64_Sym);
        bool made_local =
            false; /* GNU ld: those behind a file without a name, with no visibility */
        for (uint32_t k = 1; k < count; k++) {
            struct elf_symbol symbol;
            bool defined;
            unsigned char type = ELF64_ST_TYPE(table->data[k * sizeof(Elf64_Sym) + 4]);
            if (!elf_file_symbol(file, table, k, &symbol, &defined) || !defined)
                continue;
            if (type == STT_FILE)
                made_local = symbol.name[0] == 0;
            symbol.hidden = symbol.hidden || (made_local && !symbol.global);
            if (symbol.name[0] == 0 ||
                !(symbol.is_function || (variables && (type == STT_OBJECT || type == STT_COMMON))))
                continue;
            int result = visit(context, &symbol);
            if (result != 0)
                return result;
        }
    }
    return 0;
}

int elf_file_functions(const struct elf_file *file, uint32_t table_type, elf_symbol_visit *visit,
                       void *context)
{
    return visit_symbols(file, table_type, false, visit, context);
}

int elf_file_symbols(const struct elf_file *file, uint32_t table_type, elf_symbol_visit *visit,
                     void *context)
{
    return visit_symbols(file, table_type, true, visit, context);
}
