/*
 * What has to change in a patched process so that the functions that are wished, and no others, are
 * patched: found by comparing its code with the plan, so it does not matter what was done before.
 *
 * A function's first bytes are its own, or a jump to its stub. If it donates room to the hop of one
 * that is wished, and is not wished itself, its jump leads behind the hooks in its stub. Bytes that
 * are none of these, such as a debugger's breakpoint, stay as they are.
 *
 * While bytes change, no thread may be within the instructions that they replace, nor may a signal's
 * handler return there: the *risks*.
 */
#ifndef FISQL_CLI_RECORD_PATCH_CHANGES_H
#define FISQL_CLI_RECORD_PATCH_CHANGES_H

#include "cli/record/patch_plans.h"
#include "cli/record/process_maps.h"
#include "cli/record/stopped.h"

struct patch_change {
    uint64_t address;
    uint32_t unit; /* changes of a unit are made together or not at all */
    uint8_t bytes;
    uint8_t before[FISQL_PATCH_JUMP], after[FISQL_PATCH_JUMP];
};

struct patch_changes {
    struct patch_change *items; /* by address, once they are sorted */
    size_t count, capacity;
    struct stopped_range *risks; /* by address */
    size_t risks_count, risks_capacity;
    uint32_t *risk_units; /* of each risk */
    size_t risk_units_count, risk_units_capacity;
    bool *given_up; /* by unit */
    uint32_t units;
    struct patch_changes_area *areas;
    size_t areas_count, areas_capacity;
};

/* The units of one area. */
struct patch_changes_area {
    struct fisql_patch_area area;
    uint32_t index;            /* in the process's list */
    uint32_t first_unit, next; /* the first one, and the first that is another area's */
};

/* What attaching to a process has left alone. */
struct patch_attached {
    pid_t pid;
    uint64_t *left_out; /* where threads stood, or will go on, in the bytes to be replaced */
    size_t count;
};

/* A process to look at. */
struct patch_process {
    int memory;                      /* of /proc/PID/mem, for reading */
    const struct process_maps *maps; /* of it */
    const struct patch_wish *wish;
    bool returns_kept;                     /* struct fisql_patch_areas */
    const struct patch_attached *attached; /* NULL = the program was patched before it ran */
};

/* Adds what has to change in the module of an area, the index-th of the process's list. Returns 0, or
 * -1 with *error. */
int patch_changes_find(struct patch_changes *changes, const struct patch_process *process,
                       const struct fisql_patch_area *area, uint32_t index,
                       const struct known_plan *known, struct error *error);
/* Sorts the changes; afterwards none is added. Returns 0, or -1 without memory, with *error. */
int patch_changes_ready(struct patch_changes *changes, struct error *error);
/* Gives up the units that have a risk behind whose start the position lies. */
void patch_changes_avoid(struct patch_changes *changes, uint64_t position);
/* Gives up what was found in areas that are no longer what they were: the library was unloaded
 * meanwhile, and another one may lie in its place. `areas`: of the process that is stopped. */
void patch_changes_check(struct patch_changes *changes, const struct fisql_patch_areas *areas);
/* Makes the changes of a process that is stopped, but for units that were given up, or whose bytes are
 * no longer what they were. Returns whether all were made. */
bool patch_changes_write(struct patch_changes *changes, const struct stopped *stopped);
void patch_changes_release(struct patch_changes *changes);

#endif
