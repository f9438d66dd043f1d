/* A class by its symbols: see class_symbols.h. */
#include "debuginfo/symbols/class_symbols.h"

#include "base/array.h"
#include "base/parts.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/names/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPEINFO "typeinfo for "
#define VTABLE "vtable for "
#define VTT "VTT for " /* tables of virtual bases */

struct class_look {
    struct class_symbols *class;
    const char *wanted;
    char coded[256]; /* the last part of the name as symbols have it: "5Error" */
    bool failed;     /* out of memory */
    struct error *error;
};

const char *class_last_name(const char *name)
{
    const char *last = name;
    int open = 0;
    for (const char *at = name; *at != 0; at++) {
        open += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
        if (open == 0 && at[0] == ':' && at[1] == ':')
            last = at + 2;
    }
    return last;
}

/* Does a user's name mean this class: all of it, or its last parts? */
static bool means(const char *wanted, const char *full)
{
    size_t length = strlen(wanted), all = strlen(full);
    if (!ends_with(full, wanted))
        return false;
    return length == all || (all - length >= 2 && strncmp(full + all - length - 2, "::", 2) == 0);
}

/* What follows `before` in the name, or NULL. */
static const char *behind(const char *name, const char *before)
{
    size_t length = strlen(before);
    return strncmp(name, before, length) == 0 ? name + length : NULL;
}

static int see_type(void *context, const struct elf_symbol *symbol)
{
    struct class_look *look = context;
    struct class_symbols *class = look->class;
    if (strncmp(symbol->name, "_ZTI", 4) != 0 || strstr(symbol->name, look->coded) == NULL)
        return 0;
    char *name = demangle(symbol->name);
    const char *full = name != NULL ? behind(name, TYPEINFO) : NULL;
    if (full != NULL && means(look->wanted, full)) {
        char **into = class->name == NULL              ? &class->name
                      : strcmp(class->name, full) == 0 ? NULL
                      : class->another == NULL         ? &class->another
                                                       : NULL;
        if (into == &class->name)
            class->type = symbol->address;
        if (into != NULL) {
            *into = strdup(full);
            look->failed = *into == NULL;
        }
    }
    free(name);
    return look->failed;
}

/* Adds a constructor; `text` is "Error(int)", of a class whose last name has that length. */
static void add_constructor(struct class_look *look, const char *text, size_t length,
                            const struct elf_symbol *symbol)
{
    struct class_symbols *class = look->class;
    if (array_reserve(&class->constructors, &class->constructors_capacity,
                      class->constructors_count + 1, look->error) != 0) {
        look->failed = true;
        return;
    }
    struct class_constructor *added = &class->constructors[class->constructors_count];
    *added = (struct class_constructor){.parameters =
                                            strndup(text + length + 1, strlen(text) - length - 2),
                                        .address = symbol->address,
                                        .complete = strstr(symbol->name, "C1") != NULL};
    look->failed = added->parameters == NULL;
    class->constructors_count += added->parameters != NULL;
}

/* A member of the class: "Error(int)", "~Error()". */
static void see_member(struct class_look *look, const char *member, const struct elf_symbol *symbol)
{
    struct class_symbols *class = look->class;
    const char *last = class_last_name(class->name);
    size_t length = strcspn(last, "<");
    /* clang has D2 alone where the class is the unit's own; D0 frees, too. */
    if (*member == '~' && (has_ending(symbol->name, "D1Ev") ||
                           (has_ending(symbol->name, "D2Ev") && class->destroy == 0)))
        class->destroy = symbol->address;
    else if (strncmp(member, last, length) == 0 && member[length] == '(' && has_ending(member, ")"))
        add_constructor(look, member, length, symbol);
}

static int see_parts(void *context, const struct elf_symbol *symbol)
{
    struct class_look *look = context;
    struct class_symbols *class = look->class;
    if (strncmp(symbol->name, "_Z", 2) != 0 || strstr(symbol->name, look->coded) == NULL)
        return 0;
    char *name = demangle(symbol->name);
    if (name == NULL)
        return 0;
    const char *of = behind(name, VTABLE), *bases = behind(name, VTT);
    const char *member = behind(name, class->name);
    if (of != NULL && strcmp(of, class->name) == 0)
        class->table = symbol->address;
    else if (bases != NULL && strcmp(bases, class->name) == 0)
        class->virtual_bases = true;
    else if (symbol->is_function && member != NULL && strncmp(member, "::", 2) == 0)
        see_member(look, member + 2, symbol);
    free(name);
    return look->failed;
}

static void visit(const struct elf_file *file, elf_symbol_visit *see, struct class_look *look)
{
    elf_file_symbols(file, SHT_SYMTAB, see, look);
    if (!look->failed)
        elf_file_symbols(file, SHT_DYNSYM, see, look);
}

int class_symbols_find(struct class_symbols *class, const char *path, const char *wanted,
                       struct error *error)
{
    struct elf_file file;
    struct class_look look = {.class = class, .wanted = wanted, .error = error};
    const char *last = class_last_name(wanted);
    size_t length = strcspn(last, "<");
    snprintf(look.coded, sizeof look.coded, "%zu%.*s", length, (int)length, last);
    if (elf_file_open(&file, path) == NULL) {
        visit(&file, see_type, &look);
        if (class->name != NULL && !look.failed)
            visit(&file, see_parts, &look);
    }
    elf_file_close(&file);
    return look.failed ? error_set(error, "out of memory") : 0;
}

void class_symbols_release(struct class_symbols *class)
{
    for (size_t i = 0; i < class->constructors_count; i++)
        free(class->constructors[i].parameters);
    free(class->constructors);
    free(class->name);
    free(class->another);
    *class = (struct class_symbols){.name = NULL};
}
