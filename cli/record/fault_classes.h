/*
 * Classes of the program that rules throw (`throw MyError(3)`): which constructor makes what is
 * thrown. Part of record_faults.c.
 */
#ifndef FISQL_CLI_RECORD_FAULT_CLASSES_H
#define FISQL_CLI_RECORD_FAULT_CLASSES_H

#include "debuginfo/symbols/class_symbols.h"
#include "formats/fault.h"

struct fault_search;

/* What the modules have of a rule's class. Zero is empty. */
struct fault_class {
    struct class_symbols symbols;
    struct fisql_fault_class made; /* made.type is 0 until it is found */
};

/* Looks the classes of all rules up in a module. `search` is a struct fault_search. Returns 0, or 2
 * after saying what is wrong. */
int fault_classes_add(void *search, const char *path);
/* After all modules: chooses how each class is made. 0, or 2 after saying what is wrong. */
int fault_classes_choose(const struct fault_search *search);
void fault_class_release(struct fault_class *found);

#endif
