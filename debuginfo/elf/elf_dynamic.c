/* See elf_dynamic.h. */
#include "debuginfo/elf/elf_dynamic.h"

#include <string.h>

#define VERSION_MASK 0x7fffu /* the highest bit hides a symbol */

static void take(struct elf_dynamic *dynamic, const Elf64_Dyn *item)
{
    if (item->d_tag > 0 && item->d_tag <= DT_RELR)
        dynamic->values[item->d_tag] = item->d_un.d_val;
    else if (item->d_tag == DT_VERSYM)
        dynamic->versions = item->d_un.d_val;
    else if (item->d_tag == DT_VERNEED)
        dynamic->needed = item->d_un.d_val;
}

static void read_section(struct elf_dynamic *dynamic, const Elf64_Phdr *segment)
{
    const unsigned char *bytes = elf_file_at(dynamic->file, segment->p_vaddr, segment->p_filesz);
    Elf64_Dyn item;
    for (uint64_t at = 0; bytes != NULL && at + sizeof item <= segment->p_filesz;
         at += sizeof item) {
        memcpy(&item, bytes + at, sizeof item);
        if (item.d_tag == DT_NULL)
            return;
        take(dynamic, &item);
    }
}

void elf_dynamic_read(struct elf_dynamic *dynamic, const struct elf_file *file)
{
    *dynamic = (struct elf_dynamic){.file = file};
    for (uint16_t i = 0; i < file->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(file, i);
        if (segment.p_type != PT_DYNAMIC)
            continue;
        read_section(dynamic, &segment);
        break;
    }
    dynamic->names_bytes = dynamic->values[DT_STRSZ];
    dynamic->names =
        (const char *)elf_file_at(file, dynamic->values[DT_STRTAB], dynamic->names_bytes);
    if (dynamic->names_bytes == 0)
        dynamic->names = NULL;
}

const char *elf_dynamic_text(const struct elf_dynamic *dynamic, uint64_t offset)
{
    if (dynamic->names == NULL || offset >= dynamic->names_bytes ||
        memchr(dynamic->names + offset, 0, (size_t)(dynamic->names_bytes - offset)) == NULL)
        return NULL;
    return dynamic->names + offset;
}

/* The name of a version of the libraries that the module needs, "" if it is none. */
static const char *version_named(const struct elf_dynamic *dynamic, uint16_t number)
{
    uint64_t at = dynamic->needed, budget = dynamic->file->size_bytes / sizeof(Elf64_Vernaux);
    while (at != 0 && budget-- > 0) {
        Elf64_Verneed library;
        const unsigned char *bytes = elf_file_at(dynamic->file, at, sizeof library);
        if (bytes == NULL)
            return "";
        memcpy(&library, bytes, sizeof library);
        uint64_t item_at = at + library.vn_aux;
        for (uint16_t i = 0; i < library.vn_cnt && budget-- > 0; i++) {
            Elf64_Vernaux item;
            bytes = elf_file_at(dynamic->file, item_at, sizeof item);
            if (bytes == NULL)
                return "";
            memcpy(&item, bytes, sizeof item);
            if (item.vna_other == number) {
                const char *name = elf_dynamic_text(dynamic, item.vna_name);
                return name != NULL ? name : "";
            }
            item_at += item.vna_next;
        }
        at = library.vn_next != 0 ? at + library.vn_next : 0;
    }
    return "";
}

bool elf_dynamic_symbol(const struct elf_dynamic *dynamic, uint32_t index,
                        struct elf_dynamic_symbol *symbol)
{
    Elf64_Sym found;
    uint16_t version;
    uint64_t table = dynamic->values[DT_SYMTAB];
    const unsigned char *bytes =
        table != 0 ? elf_file_at(dynamic->file, table + index * sizeof found, sizeof found) : NULL;
    if (bytes == NULL)
        return false;
    memcpy(&found, bytes, sizeof found);
    *symbol = (struct elf_dynamic_symbol){.name = elf_dynamic_text(dynamic, found.st_name),
                                          .version = "",
                                          .defined = found.st_shndx != SHN_UNDEF,
                                          .type = ELF64_ST_TYPE(found.st_info)};
    bytes =
        dynamic->versions != 0
            ? elf_file_at(dynamic->file, dynamic->versions + index * sizeof version, sizeof version)
            : NULL;
    if (bytes != NULL) {
        memcpy(&version, bytes, sizeof version);
        version &= VERSION_MASK;
        if (version > VER_NDX_GLOBAL)
            symbol->version = version_named(dynamic, version);
    }
    return symbol->name != NULL;
}

int elf_dynamic_relocations(const struct elf_dynamic *dynamic, uint64_t table, uint64_t size_bytes,
                            elf_dynamic_visit *visit, void *context)
{
    const unsigned char *bytes = elf_file_at(dynamic->file, table, size_bytes);
    int result = 0;
    for (uint64_t at = 0; bytes != NULL && result == 0 && at + sizeof(Elf64_Rela) <= size_bytes;
         at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, bytes + at, sizeof relocation);
        result = visit(context, &relocation);
    }
    return result;
}
