/* What the file of a program says: see program_file.h. The file is not trusted. */
#include "cli/record/program_file.h"

#include "cli/record/record_libraries.h"
#include "formats/patch.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EMULATOR_BYTES_MAX ((size_t)32 << 20)

struct bytes {
    const unsigned char *start;
    size_t count;
};

static bool read_at(const struct bytes *bytes, void *to, size_t size, uint64_t offset)
{
    if (offset > bytes->count || size > bytes->count - offset)
        return false;
    memcpy(to, bytes->start + offset, size);
    return true;
}

/* Does a string table hold the word as a string of its own? */
static bool names_hold(const struct bytes *bytes, const ElfW(Ehdr) * elf, const char *word)
{
    size_t length = strlen(word) + 1; /* with the NUL behind it */
    for (uint32_t i = 0; i < elf->e_shnum; i++) {
        ElfW(Shdr) section;
        if (!read_at(bytes, &section, sizeof section, elf->e_shoff + i * sizeof section) ||
            section.sh_type != SHT_STRTAB || section.sh_offset > bytes->count ||
            section.sh_size > bytes->count - section.sh_offset)
            continue;
        const unsigned char *at = bytes->start + section.sh_offset, *end = at + section.sh_size;
        for (; (at = memmem(at, (size_t)(end - at), word, length)) != NULL; at++)
            if (at > bytes->start && at[-1] == 0)
                return true;
    }
    return false;
}

static void look_at(struct program_file *file, const struct bytes *bytes)
{
    ElfW(Ehdr) own, elf;
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool got = self >= 0 && read(self, &own, sizeof own) == (ssize_t)sizeof own;
    if (self >= 0)
        close(self);
    if (!got || !read_at(bytes, &elf, sizeof elf, 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
        return;
    file->known = true;
    file->fixed = elf.e_type == ET_EXEC;
    file->machine_same =
        elf.e_machine == own.e_machine && elf.e_ident[EI_CLASS] == own.e_ident[EI_CLASS];
    if (!file->machine_same)
        return;
    file->is_static = true;
    for (uint32_t i = 0; i < elf.e_phnum; i++) {
        ElfW(Phdr) header;
        if (read_at(bytes, &header, sizeof header, elf.e_phoff + i * sizeof header) &&
            header.p_type == PT_INTERP)
            file->is_static = false;
    }
    file->hooks = names_hold(bytes, &elf, "__cyg_profile_func_enter") ||
                  names_hold(bytes, &elf, "fisql_trace_levels");
    file->collector =
        names_hold(bytes, &elf, "__wrap_prctl") || names_hold(bytes, &elf, FISQL_PATCH_NOTE);
    file->sleds = names_hold(bytes, &elf, "__patchable_function_entries") ||
                  names_hold(bytes, &elf, "__mcount_loc") ||
                  names_hold(bytes, &elf, "xray_instr_map");
    /* QEMU's user mode has a variable of its own. We do not read a large program for it. */
    file->emulator = !file->hooks && !file->collector && bytes->count <= EMULATOR_BYTES_MAX &&
                     memmem(bytes->start, bytes->count, "QEMU_LD_PREFIX", 15) != NULL;
    file->own_asan_options = names_hold(bytes, &elf, "__asan_default_options");
}

void program_file_look(struct program_file *file, const char *program)
{
    char path[PATH_MAX];
    struct stat status;
    *file = (struct program_file){.known = false};
    int descriptor = program_find(program, path, sizeof path)
                         ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                         : -1;
    if (descriptor < 0)
        return;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *start = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (start != MAP_FAILED) {
            look_at(file, &(struct bytes){start, (size_t)status.st_size});
            munmap(start, (size_t)status.st_size);
        }
    }
    close(descriptor);
}
