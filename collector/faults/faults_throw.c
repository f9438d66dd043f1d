/*
 * Throws exceptions of the standard library and of simple types, made by the program's own C++
 * runtime. libstdc++ and libc++ have the same names for the classes' constructor from a text, their
 * type and virtual table, and the runtime's three functions (Itanium C++ ABI, 2.5).
 *
 * Classes of the program are made by their own constructor, which `fisql record` has found by its
 * symbol. Without one we do what an inlined constructor does at least: construct the part that is
 * inherited from the standard library, and set the pointer to the virtual table.
 */
#include "collector/faults/faults_throw.h"

#include "collector/core/quiet.h"
#include "collector/faults/faults_decide.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT_BYTES 64u   /* no object of the standard library is larger */
#define CLASS_BYTES 65536u /* room for an object of the program's */

/* What the program has of a type. */
struct thrown {
    void *type;                         /* its std::type_info */
    void (*make)(void *, const char *); /* constructor from a text; may be NULL */
    void (*destroy)(void *);            /* NULL = nothing to destroy */
    void *table;                        /* the virtual table, of a class without `make` */
    void *(*allocate)(size_t);          /* __cxa_allocate_exception */
    void (*raise)(void *, void *, void (*)(void *)); /* __cxa_throw, the interposed one */
};

static void *symbol(const char *name)
{
    return quiet_look(RTLD_DEFAULT, name);
}

/* A symbol that belongs to a class "std::NAME". */
static void *class_symbol(const char *before, const char *name, const char *behind)
{
    char text[160];
    snprintf(text, sizeof text, "%sSt%zu%s%s", before, strlen(name), name, behind);
    return symbol(text);
}

static void *member_symbol(const char *name, const char *behind)
{
    char text[160];
    snprintf(text, sizeof text, "_ZNSt%zu%s%s", strlen(name), name, behind);
    return symbol(text);
}

/* The types that are not classes, and their symbols. */
static const char *simple_type(const char *name)
{
    static const char *const types[][2] = {
        {"int", "_ZTIi"}, {"long", "_ZTIl"}, {"unsigned", "_ZTIj"}, {"const char *", "_ZTIPKc"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(name, types[i][0]) == 0)
            return types[i][1];
    return NULL;
}

static bool find_runtime(struct thrown *thrown)
{
    void *found = symbol("__cxa_allocate_exception");
    memcpy(&thrown->allocate, &found, sizeof found);
    found = symbol("__cxa_throw");
    memcpy(&thrown->raise, &found, sizeof found);
    return thrown->allocate != NULL && thrown->raise != NULL;
}

static bool find(const char *name, struct thrown *thrown)
{
    void *found;
    bool has_runtime = find_runtime(thrown);
    const char *simple = simple_type(name);
    if (simple != NULL) {
        thrown->type = symbol(simple);
    } else if (strncmp(name, "std::", 5) == 0) {
        thrown->type = class_symbol("_ZTI", name + 5, "");
        found = member_symbol(name + 5, "C1EPKc");
        memcpy(&thrown->make, &found, sizeof found);
        found = member_symbol(name + 5, "D1Ev");
        memcpy(&thrown->destroy, &found, sizeof found);
        thrown->table = class_symbol("_ZTV", name + 5, "");
    }
    return thrown->type != NULL && has_runtime &&
           (simple != NULL ||
            (thrown->destroy != NULL && (thrown->make != NULL || thrown->table != NULL)));
}

/* ---- classes of the program ---- */

/* libstdc++'s std::string, empty: its text, length, and the short text within (its ABI since GCC
 * 5). */
struct std_string {
    char *text;
    size_t length;
    char within[16];
};

#define STRING(member) "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE" member

static bool string_begin(struct std_string *string, const char *text)
{
    void *(*append)(struct std_string *, const char *);
    void *found = symbol(STRING("6appendEPKc"));
    memcpy(&append, &found, sizeof found);
    *string = (struct std_string){.text = string->within};
    if (append != NULL)
        append(string, text);
    return append != NULL;
}

static void string_end(struct std_string *string)
{
    void (*destroy)(struct std_string *);
    void *found = symbol(STRING("D1Ev"));
    memcpy(&destroy, &found, sizeof found);
    if (destroy != NULL)
        destroy(string);
}

/* The constructor of the nearest class that `type` inherits alone and that is made of a text: one of
 * the standard library (Itanium C++ ABI, 2.9.5: a type_info has its table, name and, with one base,
 * that base). */
static void *base_constructor(void *const *type)
{
    unsigned char *table = symbol("_ZTVN10__cxxabiv120__si_class_type_infoE");
    void *found = NULL;
    for (int steps = 0; steps < 64 && found == NULL && table != NULL; steps++) {
        char name[200];
        if (type[0] != table + 2 * sizeof(void *))
            break;
        type = type[2];
        const char *coded = type[1];
        if (strncmp(coded, "St", 2) != 0)
            continue;
        snprintf(name, sizeof name, "_ZN%sC1EPKc", coded);
        found = symbol(name);
    }
    return found;
}

/* Calls a constructor from a double or a float: the collector is compiled without such registers. */
static void make_real(void *constructor, void *object, uint64_t bits)
{
#if defined(__x86_64__)
    __asm__ volatile("movq %%rsp, %%rbx\n\tsubq $128, %%rsp\n\tandq $-16, %%rsp\n\t"
                     "movq %2, %%xmm0\n\tcall *%1\n\tmovq %%rbx, %%rsp"
                     : "+D"(object), "+a"(constructor), "+d"(bits)
                     :
                     : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
    register void *first __asm__("x0") = object;
    __asm__ volatile(".arch_extension fp\n\tfmov d0, %2\n\tblr %1"
                     : "+r"(first)
                     : "r"(constructor), "r"(bits)
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x18", "x30", "memory", "cc");
#endif
}

static void make_class(const struct fisql_fault_class *class, uint64_t bias, void *object,
                       const char *text)
{
    union {
        void *found;
        void (*nothing)(void *);
        void (*word)(void *, uint64_t);
        void (*text)(void *, const char *);
        void (*string)(void *, struct std_string *);
        void (*view)(void *, size_t, const char *);
    } make = {.found = (void *)(uintptr_t)(class->make + bias)};
    struct std_string string;
    switch ((enum fisql_fault_make) class->how) {
    case FISQL_FAULT_MAKE_DEFAULT:
        make.nothing(object);
        break;
    case FISQL_FAULT_MAKE_WORD:
        make.word(object, class->number);
        break;
    case FISQL_FAULT_MAKE_DOUBLE:
    case FISQL_FAULT_MAKE_FLOAT:
        make_real(make.found, object, class->number);
        break;
    case FISQL_FAULT_MAKE_TEXT:
        make.text(object, text);
        break;
    case FISQL_FAULT_MAKE_VIEW:
        make.view(object, strlen(text), text);
        break;
    case FISQL_FAULT_MAKE_STRING:
        if (string_begin(&string, text)) {
            make.string(object, &string);
            string_end(&string);
        }
        break;
    case FISQL_FAULT_MAKE_PLAIN:
        memcpy(object, &class->number, sizeof class->number);
        break;
    case FISQL_FAULT_MAKE_BASE:
        make.found = base_constructor((void *const *)(uintptr_t)(class->type + bias));
        if (make.found != NULL)
            make.text(object, text);
        make.found = (unsigned char *)(uintptr_t)(class->table + bias) + 2 * sizeof(void *);
        memcpy(object, &make.found, sizeof make.found);
        break;
    }
}

bool faults_can_throw(const struct fault_thrown *what)
{
    struct thrown thrown = {0};
    if (what->class == NULL)
        return find(what->type, &thrown);
    return find_runtime(&thrown) &&
           (what->class->how != FISQL_FAULT_MAKE_STRING || symbol(STRING("6appendEPKc")) != NULL);
}

static void throw_class(const struct fault_thrown *what)
{
    struct thrown thrown = {0};
    const struct fisql_fault_class *class = what->class;
    if (!find_runtime(&thrown))
        return;
    faults_striking = true;
    void *object = thrown.allocate(CLASS_BYTES);
    memset(object, 0, CLASS_BYTES);
    make_class(class, what->bias, object, what->type + strlen(what->type) + 1);
    faults_striking = false;
    if (class->destroy != 0) {
        void *destroy = (void *)(uintptr_t)(class->destroy + what->bias);
        memcpy(&thrown.destroy, &destroy, sizeof destroy);
    }
    thrown.raise(object, (void *)(uintptr_t)(class->type + what->bias), thrown.destroy);
}

static void throw_standard(const char *type)
{
    struct thrown thrown = {0};
    const char *text = type + strlen(type) + 1;
    if (!find(type, &thrown))
        return;
    faults_striking = true;
    void *object = thrown.allocate(OBJECT_BYTES);
    memset(object, 0, OBJECT_BYTES);
    if (thrown.make != NULL) {
        thrown.make(object, text);
    } else if (thrown.table != NULL) {
        void *first = (unsigned char *)thrown.table + 2 * sizeof(void *);
        memcpy(object, &first, sizeof first);
    } else if (strcmp(type, "const char *") == 0) {
        memcpy(object, &text, sizeof text);
    } else {
        long number = strtol(text, NULL, 0);
        memcpy(object, &number, sizeof number);
    }
    faults_striking = false;
    thrown.raise(object, thrown.type, thrown.destroy);
}

void faults_throw(const struct fault_thrown *thrown)
{
    if (thrown->class != NULL)
        throw_class(thrown);
    else
        throw_standard(thrown->type);
}
