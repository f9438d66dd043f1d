/*
 * Throws exceptions of the standard library and of simple types, made by the program's own C++
 * runtime. libstdc++ and libc++ have the same names for the classes' constructor from a text, their
 * type and virtual table, and the runtime's three functions (Itanium C++ ABI, 2.5).
 */
#include "collector/faults/faults_throw.h"

#include "collector/core/quiet.h"
#include "collector/faults/faults_decide.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT_BYTES 64u /* none of these objects is larger */

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

static bool find(const char *name, struct thrown *thrown)
{
    void *found = symbol("__cxa_allocate_exception");
    memcpy(&thrown->allocate, &found, sizeof found);
    found = symbol("__cxa_throw");
    memcpy(&thrown->raise, &found, sizeof found);
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
    return thrown->type != NULL && thrown->allocate != NULL && thrown->raise != NULL &&
           (simple != NULL ||
            (thrown->destroy != NULL && (thrown->make != NULL || thrown->table != NULL)));
}

bool faults_can_throw(const char *type)
{
    struct thrown thrown = {0};
    return find(type, &thrown);
}

void faults_throw(const char *type)
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
