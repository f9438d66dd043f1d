/* The differences between versions of libdwarf: see dwarf_api.h. */
#include "debuginfo/dwarf/dwarf_api.h"

#include "base/shortage.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#ifndef DW_LIBDWARF_VERSION_MAJOR /* before 0.3 */
#define DW_LIBDWARF_VERSION_MAJOR 0
#define DW_LIBDWARF_VERSION_MINOR 2
#endif
#ifndef DW_LIBDWARF_VERSION_MICRO
#define DW_LIBDWARF_VERSION_MICRO 0
#endif
#define SINCE(minor) (DW_LIBDWARF_VERSION_MAJOR > 0 || DW_LIBDWARF_VERSION_MINOR >= (minor))

#ifdef DW_API /* since 0.2 */
typedef Dwarf_Obj_Access_Section_a section_facts;
typedef Dwarf_Obj_Access_Methods_a access_methods;
#define SECTION(field) as_##field
#define METHOD(name) om_##name
#else
typedef Dwarf_Obj_Access_Section section_facts;
typedef Dwarf_Obj_Access_Methods access_methods;
#define SECTION(field) field
#define METHOD(name) name
#endif

#if SINCE(7)
typedef Dwarf_Unsigned section_number;
#else
typedef Dwarf_Half section_number;
#endif

static int section_info(void *context, section_number number, section_facts *facts, int *error)
{
    const struct dwarf_object *object = context;
    (void)error;
    if (number >= object->sections_count)
        return DW_DLV_NO_ENTRY;
    *facts = (section_facts){.SECTION(type) = number == 0 ? SHT_NULL : SHT_PROGBITS,
                             .SECTION(size) = object->sections[number].size_bytes,
                             .SECTION(name) = object->sections[number].name};
    return DW_DLV_OK;
}

static int load_section(void *context, section_number number, Dwarf_Small **data, int *error)
{
    const struct dwarf_object *object = context;
    (void)error;
    if (number >= object->sections_count || object->sections[number].data == NULL)
        return DW_DLV_NO_ENTRY;
    *data = (Dwarf_Small *)(uintptr_t)object->sections[number].data;
    return DW_DLV_OK;
}

#ifdef DW_API
static Dwarf_Small byte_order(void *context)
{
    (void)context;
    return DW_END_little;
}

/* libdwarf takes numbers larger than the file for damage, but a compressed file's sections may be
 * larger than it. */
static Dwarf_Unsigned file_size(void *context)
{
    const struct dwarf_object *object = context;
    Dwarf_Unsigned size_bytes = 0;
    for (uint32_t i = 0; i < object->sections_count; i++)
        size_bytes += object->sections[i].size_bytes;
    return size_bytes;
}
#else
static Dwarf_Endianness byte_order(void *context)
{
    (void)context;
    return DW_OBJECT_LSB;
}
#endif

static Dwarf_Small word_size(void *context)
{
    (void)context;
    return 8;
}

static Dwarf_Unsigned section_count(void *context)
{
    const struct dwarf_object *object = context;
    return object->sections_count;
}

static const access_methods methods = {
    .METHOD(get_section_info) = section_info,
    .METHOD(get_byte_order) = byte_order,
    .METHOD(get_length_size) = word_size,
    .METHOD(get_pointer_size) = word_size,
#ifdef DW_API
    .om_get_filesize = file_size,
#endif
    .METHOD(get_section_count) = section_count,
    .METHOD(load_section) = load_section,
};

/* 0.11.1 to 2.3.1 print a debugging line on stdout when they meet a unit of a DWARF 5 package
 * (.dwp). glibc lets us set stdout. */
#define VERSION                                                                                    \
    (DW_LIBDWARF_VERSION_MAJOR * 1000000 + DW_LIBDWARF_VERSION_MINOR * 1000 +                      \
     DW_LIBDWARF_VERSION_MICRO)
#if VERSION >= 11001 && VERSION <= 2003001 && defined __GLIBC__
static pthread_mutex_t hush_lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *nowhere, *own_output;
static unsigned hushes; /* threads now in libdwarf */

static void hush(void)
{
    pthread_mutex_lock(&hush_lock);
    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "we");
    if (hushes++ == 0) {
        own_output = stdout;
        stdout = nowhere != NULL ? nowhere : stdout;
    }
    pthread_mutex_unlock(&hush_lock);
}

static void unhush(void)
{
    pthread_mutex_lock(&hush_lock);
    if (--hushes == 0)
        stdout = own_output;
    pthread_mutex_unlock(&hush_lock);
}
#else
static void hush(void)
{
}
static void unhush(void)
{
}
#endif

/* libdwarf has a record of its own for an error that it has no memory to record. */
static bool is_shortage(Dwarf_Unsigned number)
{
    switch (number) {
    case DW_DLE_MAF:
    case DW_DLE_DBG_ALLOC:
    case DW_DLE_ALLOC_FAIL:
    case DW_DLE_SECT_ALLOC:
    case DW_DLE_FILE_ENTRY_ALLOC:
    case DW_DLE_LINE_ALLOC:
    case DW_DLE_INCDIR_ALLOC:
    case DW_DLE_STRING_ALLOC:
    case DW_DLE_CHUNK_ALLOC:
    case DW_DLE_DIE_ALLOC:
    case DW_DLE_ATTR_ALLOC:
    case DW_DLE_ABBREV_ALLOC:
    case DW_DLE_ADDR_ALLOC:
    case DW_DLE_GROUP_MAP_ALLOC:
    case DW_DLE_FAILSAFE_ERRVAL:
        return true;
    default:
        return false;
    }
}

bool dwarf_done(Dwarf_Debug debug, int result, Dwarf_Error *error)
{
    /* Some of its allocations that fail leave another error, or none. */
    if (result != DW_DLV_OK &&
        (errno == ENOMEM || (*error != NULL && is_shortage(dwarf_errno(*error)))))
        shortage_note(ENOMEM);
    if (result == DW_DLV_ERROR && *error != NULL)
        dwarf_dealloc_error(debug, *error);
    *error = NULL;
    return result == DW_DLV_OK;
}

Dwarf_Debug dwarf_api_open(struct dwarf_object *object)
{
    Dwarf_Debug debug = NULL;
    Dwarf_Error error = NULL;
    object->interface = (dwarf_api_interface){object, &methods};
    /* Otherwise it lists all that it hands out, to free what callers forget: half the time of
     * reading line tables. We forget nothing; in damaged files it forgets some bytes itself
     * (tests/leaks.supp). */
    dwarf_set_de_alloc_flag(0);
    errno = 0;
    int result =
        dwarf_object_init_b(&object->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &debug, &error);
    return dwarf_done(debug, result, &error) ? debug : NULL;
}

void dwarf_api_close(Dwarf_Debug debug)
{
#ifdef DW_API
    dwarf_object_finish(debug);
#else
    dwarf_object_finish(debug, NULL);
#endif
}

int dwarf_api_next_unit(Dwarf_Debug debug, Dwarf_Die *die, Dwarf_Half *kind, Dwarf_Sig8 *signature,
                        Dwarf_Error *error)
{
    Dwarf_Unsigned length, abbreviations, type_offset, next;
    Dwarf_Half version, address_size, length_size, extension_size;
    hush();
#if SINCE(9)
    int result = dwarf_next_cu_header_e(debug, 1, die, &length, &version, &abbreviations,
                                        &address_size, &length_size, &extension_size, signature,
                                        &type_offset, &next, kind, error);
#else
    int result = dwarf_next_cu_header_d(debug, 1, &length, &version, &abbreviations, &address_size,
                                        &length_size, &extension_size, signature, &type_offset,
                                        &next, kind, error);
    if (result == DW_DLV_OK)
        result = dwarf_api_sibling(debug, NULL, die, error);
#endif
    unhush();
    return result;
}

int dwarf_api_sibling(Dwarf_Debug debug, Dwarf_Die die, Dwarf_Die *sibling, Dwarf_Error *error)
{
#if SINCE(9)
    (void)debug;
    return dwarf_siblingof_c(die, sibling, error);
#else
    return dwarf_siblingof_b(debug, die, 1, sibling, error);
#endif
}

void dwarf_api_release_ranges(Dwarf_Debug debug, Dwarf_Ranges *ranges, Dwarf_Signed count)
{
#if SINCE(3)
    dwarf_dealloc_ranges(debug, ranges, count);
#else
    dwarf_ranges_dealloc(debug, ranges, count);
#endif
}
