/* Demangling: see demangle.h. libiberty, the demangler of gcc and binutils, reads C++, both forms
 * of Rust, and D. A build without it (FISQL_LIBIBERTY not defined) loads __cxa_demangle of the C++
 * runtime, which leaves Rust's v0 names and D's as they are. We undo gfortran's and GNAT's few
 * changes ourselves. */
#include "debuginfo/names/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FISQL_LIBIBERTY
#include <libiberty/demangle.h>

static char *demangle_any(const char *name)
{
    return cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}

/* The number of a back reference, 0 if there is none: digits to base 26, all but the last in
 * capitals. Moves *text behind it. */
static size_t d_distance(const char **text)
{
    size_t value = 0;
    for (const char *at = *text; isalpha((unsigned char)*at) && value < DEMANGLE_NAME_MAX; at++) {
        bool last = islower((unsigned char)*at);
        value = value * 26 + (size_t)(*at - (last ? 'a' : 'A'));
        if (last) {
            *text = at + 1;
            return value;
        }
    }
    return 0;
}

/* Could the readable name be much longer than the linker's? A back reference (Q and a distance)
 * repeats earlier text, which may hold back references: a short name can grow without end. We count
 * too much rather than too little: for a type, all text in between. */
static bool d_explodes(const char *name)
{
    static const uint32_t bytes_max = 1 << 20;
    uint32_t *before = malloc((strlen(name) + 2) * sizeof *before); /* bytes up to here */
    const char *at = name;
    uint32_t bytes = 0;
    while (before != NULL && *at != '\0' && bytes < bytes_max) {
        size_t here = (size_t)(at - name), back = 0;
        before[here] = bytes;
        if (*at++ == 'Q')
            back = d_distance(&at);
        for (size_t i = here + 1; i < (size_t)(at - name); i++)
            before[i] = bytes;
        bool sound = back > 0 && back <= here;
        if (sound && isdigit((unsigned char)name[here - back]))
            bytes += (uint32_t)strtoul(name + here - back, NULL, 10) % bytes_max;
        else
            bytes += sound ? bytes - before[here - back] + 1 : 1;
    }
    free(before);
    return before == NULL || bytes >= bytes_max;
}

/* Compilers write a parameter's `return scope` as NkM, libiberty reads MNk alone: exchanges these
 * outside of identifiers, which begin with their length. Distances stay. */
static bool d_exchange(char *name)
{
    bool any = false;
    for (char *at = name; *at != '\0';) {
        if (isdigit((unsigned char)*at)) {
            size_t length = strtoul(at, &at, 10);
            at += strnlen(at, length);
        } else if (strncmp(at, "NkM", 3) == 0) {
            memcpy(at, "MNk", 3);
            at += 3;
            any = true;
        } else {
            at++;
        }
    }
    return any;
}

static char *demangle_d(const char *name)
{
    static const int options = DMGL_PARAMS | DMGL_DLANG;
    if (d_explodes(name))
        return NULL;
    char *readable = cplus_demangle(name, options);
    char *copy = readable == NULL ? strdup(name) : NULL;
    if (copy != NULL && d_exchange(copy))
        readable = cplus_demangle(copy, options);
    free(copy);
    return readable;
}
#else
#include <dlfcn.h>
#include <pthread.h>

static char *(*runtime_demangle)(const char *, char *, size_t *, int *);
static pthread_once_t runtime_once = PTHREAD_ONCE_INIT;

static void runtime_find(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *found = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&runtime_demangle, &found, sizeof found);
}

static char *demangle_any(const char *name)
{
    int status = 0;
    pthread_once(&runtime_once, runtime_find);
    return runtime_demangle != NULL ? runtime_demangle(name, NULL, NULL, &status) : NULL;
}

static char *demangle_d(const char *name)
{
    (void)name;
    return NULL;
}
#endif

/* gfortran writes __shapes_MOD_area, in small letters, for area of the module shapes. */
static char *demangle_fortran(const char *name)
{
    static const char of[] = "_MOD_";
    const char *found = strstr(name + 2, of);
    if (found == NULL || found == name + 2 || found[sizeof of - 1] == '\0')
        return NULL;
    const char *procedure = found + sizeof of - 1;
    for (const char *at = name; *at != '\0'; at++) {
        bool in_between = at >= found && at < procedure;
        if (!in_between && !islower((unsigned char)*at) && !isdigit((unsigned char)*at) &&
            *at != '_')
            return NULL;
    }
    char *text = NULL;
    int length = asprintf(&text, "%.*s::%s", (int)(found - name - 2), name + 2, procedure);
    return length >= 0 ? text : NULL;
}

static const struct {
    const char *encoded, *symbol;
} ada_operators[] = {{"Oabs", "abs"},    {"Oand", "and"},  {"Omod", "mod"},    {"Onot", "not"},
                     {"Oor", "or"},      {"Orem", "rem"},  {"Oxor", "xor"},    {"Oeq", "="},
                     {"One", "/="},      {"Olt", "<"},     {"Ole", "<="},      {"Ogt", ">"},
                     {"Oge", ">="},      {"Oadd", "+"},    {"Osubtract", "-"}, {"Oconcat", "&"},
                     {"Omultiply", "*"}, {"Odivide", "/"}, {"Oexpon", "**"}};

/* Copies an operator's name from *at, or returns false. */
static bool ada_operator(const char **at, char **out)
{
    size_t length = strcspn(*at, "_.");
    for (size_t i = 0; i < sizeof ada_operators / sizeof ada_operators[0]; i++) {
        if (strlen(ada_operators[i].encoded) != length ||
            strncmp(*at, ada_operators[i].encoded, length) != 0)
            continue;
        *out += sprintf(*out, "\"%s\"", ada_operators[i].symbol);
        *at += length;
        return true;
    }
    return false;
}

/* Does the name end here, but for what GNAT adds? __2 and $2 number overloads, .4 a nested name; TB
 * and TKB mark the body of a task. */
static bool ada_ends(const char *at)
{
    if (strncmp(at, "TKB", 3) == 0)
        at += 3;
    else if (strncmp(at, "TB", 2) == 0)
        at += 2;
    if (strncmp(at, "__", 2) == 0 && isdigit((unsigned char)at[2]))
        at += 2;
    else if (at[0] == '.' || at[0] == '$')
        at++;
    else
        return *at == '\0';
    return strspn(at, "0123456789_") == strlen(at) && *at != '\0';
}

char *demangle_ada(const char *linkage_name)
{
    size_t length = strnlen(linkage_name, DEMANGLE_NAME_MAX);
    if (length == DEMANGLE_NAME_MAX)
        return NULL;
    const char *at = linkage_name;
    if (strncmp(at, "_ada_", 5) == 0)
        at += 5;
    char *text = malloc(2 * length + 8), *out = text; /* an operator's name grows by quotes */
    bool begins = true;
    while (text != NULL && !ada_ends(at)) {
        if (begins && *at == 'O' && ada_operator(&at, &out)) {
            begins = false;
        } else if (islower((unsigned char)*at) || (!begins && isdigit((unsigned char)*at))) {
            *out++ = *at++;
            begins = false;
        } else if (!begins && at[0] == '_' && at[1] == '_' && at[2] != '_') {
            *out++ = '.';
            at += 2;
            begins = true;
        } else if (!begins && at[0] == '_' && isalnum((unsigned char)at[1])) {
            *out++ = *at++;
        } else { /* a letter beyond ASCII, or a name that the compiler made */
            free(text);
            text = NULL;
        }
    }
    if (text == NULL || out == text) {
        free(text);
        return NULL;
    }
    *out = '\0';
    return text;
}

char *demangle(const char *linkage_name)
{
    size_t length = strnlen(linkage_name, DEMANGLE_NAME_MAX);
    if (length == DEMANGLE_NAME_MAX || length < 3 || linkage_name[0] != '_' ||
        strchr("ZRD_", linkage_name[1]) == NULL)
        return NULL;
    char *name = linkage_name[1] == 'D' ? demangle_d(linkage_name) : demangle_any(linkage_name);
    if (name == NULL && linkage_name[1] == '_')
        name = demangle_fortran(linkage_name);
    if (name != NULL && strnlen(name, DEMANGLE_NAME_MAX) == DEMANGLE_NAME_MAX)
        memcpy(name + DEMANGLE_NAME_MAX - 4, "...", 4);
    return name;
}

size_t demangle_base_length(const char *linkage_name)
{
    static const char *const suffixes[] = {".constprop.",   ".isra.",   ".part.",  ".cold",
                                           ".lto_priv.",    ".llvm.",   ".clone.", ".localalias",
                                           ".specialized.", ".__uniq.", ".warm",   ".hot"};
    const char *first = NULL;
    for (const char *dot = strchr(linkage_name, '.'); dot != NULL && first == NULL;
         dot = strchr(dot + 1, '.'))
        for (size_t i = 0; dot != linkage_name && i < sizeof suffixes / sizeof suffixes[0]; i++)
            if (strncmp(dot, suffixes[i], strlen(suffixes[i])) == 0)
                first = dot;
    return first != NULL ? (size_t)(first - linkage_name) : strlen(linkage_name);
}

char demangle_variant(const char *linkage_name)
{
    /* The variant is the end of a nested name, which E closes: _ZN3FooC1Ev, _ZN3FooD0Ev. We may
     * take a class's own name that ends in "C1E" for a constructor. That only keeps apart two
     * functions that differ anyway. */
    if (strncmp(linkage_name, "_ZN", 3) != 0)
        return 0;
    for (const char *at = linkage_name + 3; at[0] != 0 && at[1] != 0; at++)
        if (((at[0] == 'C' && (at[1] == '1' || at[1] == '2')) ||
             (at[0] == 'D' && at[1] >= '0' && at[1] <= '2')) &&
            at[2] == 'E')
            return at[1];
    return 0;
}
