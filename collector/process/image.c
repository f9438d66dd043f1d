/* See image.h. */
#include "collector/process/image.h"

#include "collector/core/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS_MAX 4 /* interpreters that are scripts; the kernel's limit, too */
#define HEADERS_MAX 64
#define INTERPRETER_BYTES 256

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

static bool read_at(int file, void *memory, size_t bytes, uint64_t offset)
{
    return offset < INT64_MAX && pread(file, memory, bytes, (off_t)offset) == (ssize_t)bytes;
}

static int image_open(int folder, const char *path)
{
    /* Only regular files can be run; opening another one may have effects. */
    struct stat status;
    if (fstatat(folder, path, &status, path[0] == 0 ? AT_EMPTY_PATH : 0) != 0 ||
        !S_ISREG(status.st_mode))
        return -1;
    if (path[0] != 0)
        return file_open_at(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    char own[32];
    file_descriptor_path(folder, own);
    return file_open(own, O_RDONLY | O_NONBLOCK | O_NOCTTY); /* it may have been opened O_PATH */
}

/* ---- dynamic linkers ---- */

static bool linker_is_known(const char *path)
{
    static const char *const known[] = {"ld-linux", "ld-musl", "ld64.so", "ld.so", "ld-2."};
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(slash != NULL ? slash + 1 : path, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

struct headers {
    int file;
    uint32_t count;
    uint64_t offset;
};

static bool header_read(const struct headers *headers, uint32_t index, ElfW(Phdr) * header)
{
    return read_at(headers->file, header, sizeof *header,
                   headers->offset + index * (uint64_t)sizeof *header);
}

/* The file offset of a loaded address; 0 = none. */
static uint64_t offset_of(const struct headers *headers, uint64_t address)
{
    for (uint32_t i = 0; i < headers->count; i++) {
        ElfW(Phdr) header;
        if (header_read(headers, i, &header) && header.p_type == PT_LOAD &&
            address - header.p_vaddr < header.p_filesz)
            return address - header.p_vaddr + header.p_offset;
    }
    return 0;
}

/* Does it need libasan.so? */
static bool needs_asan(const struct headers *headers, const ElfW(Phdr) * dynamic)
{
    ElfW(Dyn) entry;
    uint64_t strings = 0, entries = dynamic->p_filesz / sizeof entry;
    for (uint64_t i = 0; i < entries && strings == 0; i++) {
        if (!read_at(headers->file, &entry, sizeof entry, dynamic->p_offset + i * sizeof entry) ||
            entry.d_tag == DT_NULL)
            return false;
        if (entry.d_tag == DT_STRTAB)
            strings = offset_of(headers, entry.d_un.d_ptr);
    }
    for (uint64_t i = 0; i < entries && strings != 0; i++) {
        char name[16] = "";
        if (!read_at(headers->file, &entry, sizeof entry, dynamic->p_offset + i * sizeof entry) ||
            entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED &&
            read_at(headers->file, name, sizeof name - 1, strings + entry.d_un.d_val) &&
            (strncmp(name, "libasan.so", 10) == 0 || strncmp(name, "libclang_rt.asa", 15) == 0))
            return true;
    }
    return false;
}

/* ---- names in its string tables ---- */

/* Does this part of the file hold the word between two NULs? */
static bool part_holds(int file, uint64_t start, uint64_t bytes, const char *word)
{
    char block[2048];
    size_t length = strlen(word) + 2, kept = 0;
    for (uint64_t done = 0; done < bytes;) {
        size_t want = sizeof block - kept;
        if (want > bytes - done)
            want = (size_t)(bytes - done);
        if (!read_at(file, block + kept, want, start + done))
            return false;
        done += want;
        size_t filled = kept + want;
        for (size_t at = 0; at + length <= filled; at++) {
            const char *nul = memchr(block + at, 0, filled - length + 1 - at);
            if (nul == NULL)
                break;
            at = (size_t)(nul - block);
            if (memcmp(nul + 1, word, length - 1) == 0)
                return true;
        }
        kept = filled < length - 1 ? filled : length - 1;
        memmove(block, block + filled - kept, kept);
    }
    return false;
}

/* Finds a string table in a file of either class; false if the section is none. */
static bool string_table(int file, uint64_t header, bool wide, uint64_t *start, uint64_t *bytes)
{
    Elf64_Shdr section;
    Elf32_Shdr narrow;
    if (wide) {
        if (!read_at(file, &section, sizeof section, header) || section.sh_type != SHT_STRTAB)
            return false;
        *start = section.sh_offset;
        *bytes = section.sh_size;
    } else {
        if (!read_at(file, &narrow, sizeof narrow, header) || narrow.sh_type != SHT_STRTAB)
            return false;
        *start = narrow.sh_offset;
        *bytes = narrow.sh_size;
    }
    return true;
}

/* Is the word a whole string in one of the file's string tables? */
static bool names_hold(int file, const char *word)
{
    Elf64_Ehdr elf = {.e_shnum = 0};
    Elf32_Ehdr narrow = {.e_shnum = 0};
    if (!read_at(file, &narrow, sizeof narrow, 0) || memcmp(narrow.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    bool wide = narrow.e_ident[EI_CLASS] == ELFCLASS64;
    if (wide && !read_at(file, &elf, sizeof elf, 0))
        return false;
    uint64_t at = wide ? elf.e_shoff : narrow.e_shoff, start, bytes;
    uint32_t count = wide ? elf.e_shnum : narrow.e_shnum;
    for (uint32_t i = 0; i < count; i++, at += wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr))
        if (string_table(file, at, wide, &start, &bytes) && part_holds(file, start, bytes, word))
            return true;
    return false;
}

bool image_has_hooks(int folder, const char *path, bool *linked)
{
    int file = image_open(folder, path);
    if (file < 0)
        return false;
    bool hooks =
        names_hold(file, "__cyg_profile_func_enter") || names_hold(file, "fisql_trace_levels");
    *linked = hooks && names_hold(file, "fisql_dump");
    close(file);
    return hooks;
}

/* ---- the image ---- */

static void look_at_program(struct image *image, int file)
{
    ElfW(Ehdr) elf;
    ElfW(Phdr) header, dynamic = {.p_type = PT_NULL};
    if (!read_at(file, &elf, sizeof elf, 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
        return;
    if (elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_machine != OWN_MACHINE) {
        image->kind = IMAGE_MACHINE;
        return;
    }
    struct headers headers = {file, elf.e_phnum < HEADERS_MAX ? elf.e_phnum : HEADERS_MAX,
                              elf.e_phoff};
    image->kind = IMAGE_STATIC;
    for (uint32_t i = 0; i < headers.count && header_read(&headers, i, &header); i++) {
        char linker[INTERPRETER_BYTES];
        if (header.p_type == PT_DYNAMIC)
            dynamic = header;
        if (header.p_type != PT_INTERP)
            continue;
        size_t bytes = header.p_filesz < sizeof linker ? header.p_filesz : sizeof linker - 1;
        image->kind = IMAGE_UNKNOWN;
        if (!read_at(file, linker, bytes, header.p_offset))
            return;
        linker[bytes] = 0;
        image->kind = linker_is_known(linker) ? IMAGE_DYNAMIC : IMAGE_LIBC;
    }
    if (image->kind == IMAGE_DYNAMIC && dynamic.p_type == PT_DYNAMIC)
        image->asan = needs_asan(&headers, &dynamic) && names_hold(file, "__asan_default_options");
}

/* The interpreter named in a script's first line. */
static bool interpreter_of(int file, char *path, size_t size)
{
    ssize_t got = pread(file, path, size - 1, 0);
    if (got < 4 || path[0] != '#' || path[1] != '!')
        return false;
    path[got] = 0;
    char *start = path + 2 + strspn(path + 2, " \t");
    size_t length = strcspn(start, " \t\n");
    memmove(path, start, length);
    path[length] = 0;
    return length > 0;
}

static bool is_secure(int file)
{
    struct stat status;
    if (geteuid() != getuid() || getegid() != getgid())
        return true;
    if (fstat(file, &status) != 0)
        return false;
    if (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
        ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getegid()))
        return true;
    return geteuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0;
}

/* /proc/self/exe is a link to the program. */
static void put_name(struct image *image, int folder, const char *path)
{
    char target[1024];
    ssize_t length =
        strncmp(path, "/proc/", 6) == 0 ? readlinkat(folder, path, target, sizeof target - 1) : -1;
    target[length > 0 ? length : 0] = 0;
    if (length > 0)
        path = target;
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    memcpy(image->name, name, strnlen(name, sizeof image->name - 1));
}

void image_look(struct image *image, int folder, const char *path)
{
    char interpreter[INTERPRETER_BYTES];
    *image = (struct image){.kind = IMAGE_UNKNOWN};
    put_name(image, folder, path);
    int file = image_open(folder, path);
    for (int scripts = 0; file >= 0; scripts++) {
        if (scripts < SCRIPTS_MAX && interpreter_of(file, interpreter, sizeof interpreter)) {
            close(file);
            file = image_open(AT_FDCWD, interpreter);
            continue;
        }
        look_at_program(image, file);
        image->secure = is_secure(file);
        close(file);
        break;
    }
}

/* With the effective user's rights, like exec. */
static bool may_run(const char *path)
{
    struct stat status;
    long result = -1;
    errno = ENOSYS;
#ifdef SYS_faccessat2
    result = syscall(SYS_faccessat2, AT_FDCWD, path, X_OK, AT_EACCESS);
#endif
    if (result != 0 && errno == ENOSYS)
        result = access(path, X_OK);
    return result == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool image_find(const char *program, char *path, unsigned size)
{
    size_t length = strlen(program);
    const char *at = getenv("PATH");
    if (at == NULL)
        at = "/bin:/usr/bin";
    while (at != NULL && length > 0) {
        const char *end = strchrnul(at, ':');
        size_t folder = (size_t)(end - at);
        if (folder + length + 2 <= size) {
            memcpy(path, at, folder);
            if (folder > 0)
                path[folder++] = '/';
            memcpy(path + folder, program, length + 1);
            if (may_run(path))
                return true;
        }
        at = *end != 0 ? end + 1 : NULL;
    }
    return false;
}
