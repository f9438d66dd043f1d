/* Where a module's code lies: see patch_parts.h. */
#include "debuginfo/patch/patch_parts.h"

#include "debuginfo/patch/patch_plan.h"

void patch_functions_spans(struct patch_functions *functions, const struct elf_file *module)
{
    *functions = (struct patch_functions){.module = module, .low = UINT64_MAX};
    for (uint16_t i = 0; i < module->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(module, i);
        if (segment.p_type != PT_LOAD || segment.p_memsz > UINT64_MAX / 4 ||
            segment.p_vaddr > UINT64_MAX / 4 || segment.p_filesz > segment.p_memsz)
            continue;
        uint64_t start = segment.p_vaddr, end = start + segment.p_memsz;
        functions->low = start < functions->low ? start : functions->low;
        functions->high = end > functions->high ? end : functions->high;
        const unsigned char *bytes = elf_file_at(module, start, segment.p_filesz);
        size_t count = functions->spans_count;
        if ((segment.p_flags & PF_X) == 0 || segment.p_filesz == 0 || bytes == NULL ||
            count == PATCH_SPANS_MAX || (count > 0 && start < functions->spans[count - 1].end))
            continue;
        functions->spans[functions->spans_count++] =
            (struct patch_span){start, start + segment.p_filesz, bytes};
    }
}

const struct patch_span *patch_span_of(const struct patch_functions *functions, uint64_t address)
{
    for (size_t i = 0; i < functions->spans_count; i++)
        if (address >= functions->spans[i].start && address < functions->spans[i].end)
            return &functions->spans[i];
    return NULL;
}

bool patch_code_range(const struct elf_file *module, uint64_t *start, uint64_t *end)
{
    struct patch_functions functions;
    patch_functions_spans(&functions, module);
    if (functions.spans_count > 0) {
        *start = functions.spans[0].start;
        *end = functions.spans[functions.spans_count - 1].end;
    }
    return functions.spans_count > 0;
}
