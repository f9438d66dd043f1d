/* The C++ library's templates, for short_name.c: their default arguments, and the names of some
 * instances. */
#ifndef FISQL_DEBUGINFO_NAMES_SHORT_NAME_PARTS_H
#define FISQL_DEBUGINFO_NAMES_SHORT_NAME_PARTS_H

#include <stddef.h>

/* A piece of text that does not end with a NUL. */
struct text_piece {
    const char *text;
    size_t length;
};

/* The number of a template's arguments (already short) to write. The others are defaults, or say
 * nothing. */
size_t std_arguments_shown(struct text_piece name, const struct text_piece *arguments,
                           size_t count);

/* Writes another name of an instance such as std::basic_string<char>, cut to size - 1 bytes.
 * Returns its length, 0 if it has none. */
size_t std_alias(struct text_piece instance, char *name, size_t size);

/* Is `part`, the first part of a name in std, an inline namespace, which nobody writes? */
int std_inline_namespace(struct text_piece part);

#endif
