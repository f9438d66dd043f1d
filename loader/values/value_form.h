/*
 * A value as in the database: INTEGER, REAL or TEXT (schema.sql, "Values"). We make it once, when
 * we read the event: a pointer's meaning depends on the time. Then we need the value's bytes in the
 * log no more.
 *
 * Forms lie one behind another in a value_buffer.
 */
#ifndef FISQL_LOADER_VALUES_VALUE_FORM_H
#define FISQL_LOADER_VALUES_VALUE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "loader/log/values.h"
#include "debuginfo/expressions/parameters.h"

enum value_form_type {
    FORM_INTEGER, /* bits: an int64_t */
    FORM_POINTER, /* also int64_t */
    FORM_REAL,    /* bits: a double's */
    FORM_TEXT,    /* text */
    FORM_CUT,     /* the first bytes of a longer text */
    FORM_WORDS,   /* the name of a function, a struct, a large number */
    FORM_ABSENT,  /* nothing is known from here on */
    FORM_UNREADABLE,
    FORM_NO_ROOM,
};

/* Results by success and failure. X(constant, name) */
#define VALUE_CLASSES(X)                                                                           \
    X(NONE, "none")                                                                                \
    X(NEGATIVE, "negative")                                                                        \
    X(ZERO, "zero")                                                                                \
    X(POSITIVE, "positive")                                                                        \
    X(NULL, "null")                                                                                \
    X(POINTER, "pointer")                                                                          \
    X(FALSE, "false")                                                                              \
    X(TRUE, "true")                                                                                \
    X(OTHER, "other")
enum value_class {
#define VALUE_CLASS_ENUM(constant, name) VALUE_CLASS_##constant,
    VALUE_CLASSES(VALUE_CLASS_ENUM)
#undef VALUE_CLASS_ENUM
        VALUE_CLASSES_COUNT
};

struct value_form {
    uint8_t position, type, class; /* enum value_form_type, enum value_class */
    uint8_t reserved;
    uint32_t text_bytes; /* 0 where it has none */
    uint64_t bits;       /* the number, or the text's hash: equal forms have equal bits */
    char text[];         /* not terminated */
};

struct value_buffer {
    unsigned char *bytes;
    size_t used, capacity;
};

static inline size_t value_form_bytes(const struct value_form *form)
{
    return sizeof *form + ((form->text_bytes + 7u) & ~(size_t)7);
}

static inline const struct value_form *value_form_at(const struct value_buffer *buffer, size_t at)
{
    return (const struct value_form *)(const void *)(buffer->bytes + at);
}

static inline bool value_form_is_known(const struct value_form *form)
{
    return form->type < FORM_ABSENT;
}

/* Appends a value's form. type: NULL = not known; name: of a pointer's target, NULL = not known. */
int value_form_add(struct value_buffer *buffer, const struct value *value, unsigned position,
                   const struct parameter_type *type, const char *name, struct error *error);

/* Appends forms as they are. */
int value_buffer_add(struct value_buffer *buffer, const void *forms, size_t bytes,
                     struct error *error);

uint64_t value_text_hash(const char *text, size_t bytes);

#endif
