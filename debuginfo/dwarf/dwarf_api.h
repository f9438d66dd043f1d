/*
 * libdwarf of any version: only this header and dwarf_api.c know the differences between 20210528
 * (Debian 12) and the newest. All others include this header instead of libdwarf's and call only
 * what all versions share. Each function of libdwarf is called in one place (tests/e2e/tidy.sh
 * looks); dwarf_die.h has what many need of an entry.
 *
 *   since 0.2   the access to sections has structures of its own; dwarf_object_finish() takes
 *               the Dwarf_Debug alone
 *   since 0.3   dwarf_dealloc_ranges() replaces dwarf_ranges_dealloc(); the version is a macro
 *   since 0.7   sections are numbered by Dwarf_Unsigned, before by Dwarf_Half
 *   since 0.9   dwarf_next_cu_header_e() and dwarf_siblingof_c() are to replace
 *               dwarf_next_cu_header_d() and dwarf_siblingof_b()
 */
#ifndef FISQL_DEBUGINFO_DWARF_DWARF_API_H
#define FISQL_DEBUGINFO_DWARF_DWARF_API_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Debian's folder of the headers; elsewhere its name has the version, and the Makefile finds it. */
#if __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

#ifdef DW_API /* since 0.2 */
typedef Dwarf_Obj_Access_Interface_a dwarf_api_interface;
#else
typedef Dwarf_Obj_Access_Interface dwarf_api_interface;
#endif

struct dwarf_section {
    char *name; /* without the z of .zdebug_ */
    const unsigned char *data;
    uint64_t size_bytes;
    void *owned; /* decompressed data; NULL if it lies in the file */
};

/* The input of libdwarf, which keeps a pointer to this struct: do not move it. */
struct dwarf_object {
    struct dwarf_section *sections; /* borrowed; the first is libdwarf's null section */
    uint32_t sections_count;
    dwarf_api_interface interface;
};

/* Is the result DW_DLV_OK? If not, releases the error, and notes a shortage if that was the reason:
 * errno was 0 before the call. */
bool dwarf_done(Dwarf_Debug debug, int result, Dwarf_Error *error);

/* Calls libdwarf, with `failure` as the last argument: libdwarf_ok(debug, dwarf_tag(die, &tag,
 * failure)). */
#define libdwarf_ok(debug, call)                                                                   \
    __extension__({                                                                                \
        Dwarf_Error libdwarf_error = NULL, *failure = &libdwarf_error;                             \
        errno = 0;                                                                                 \
        dwarf_done((debug), (call), failure);                                                      \
    })

/* A Dwarf_Debug over the object, or NULL. It reads the sections in place: close it before they
 * go. */
Dwarf_Debug dwarf_api_open(struct dwarf_object *object);
void dwarf_api_close(Dwarf_Debug debug);

/* The next unit of .debug_info: its entry, its header's kind (DW_UT_) and signature. Returns what
 * libdwarf does. */
int dwarf_api_next_unit(Dwarf_Debug debug, Dwarf_Die *die, Dwarf_Half *kind, Dwarf_Sig8 *signature,
                        Dwarf_Error *error);

/* The entry after `die` under the same parent. Returns what libdwarf does. */
int dwarf_api_sibling(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Die *sibling, Dwarf_Error *error);

/* Releases the result of dwarf_get_ranges_b(). */
void dwarf_api_release_ranges(Dwarf_Debug debug, Dwarf_Ranges *ranges, Dwarf_Signed count);

#endif
