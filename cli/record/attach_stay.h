/*
 * A collector that stays in a process that it has left, because dlclose() does nothing there: musl's.
 * Its variables, and the threads' variables, are put back to what they were when it had been opened.
 * So the next `fisql record -p` finds it as if it had just been opened, and brings no further copy.
 */
#ifndef FISQL_CLI_RECORD_ATTACH_STAY_H
#define FISQL_CLI_RECORD_ATTACH_STAY_H

#include "base/error.h"
#include "cli/record/stopped.h"
#include "debuginfo/elf/elf_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero is empty. */
struct attach_stay {
    struct elf_file library;
    uint64_t bias;                  /* of the library in the process; 0 = not there, or not known */
    struct stopped_range variables; /* of the library, in the process */
    unsigned char *as_opened;       /* their bytes; NULL = not known */
};

/* How many of the library's `bytes` are loaded: without symbols and debug information. */
uint64_t attach_stay_bytes(const char *library, uint64_t bytes);

/* Opens our library, and looks for a copy of it that an earlier attach has left in the process. 0, or
 * -1 with *error set. Release it in both cases. */
int attach_stay_look(struct attach_stay *stay, const char *library, const struct stopped *stopped,
                     struct error *error) MUST_CHECK;
void attach_stay_release(struct attach_stay *stay);

/* The address in the process of a function or variable of a library that is there; 0 = none. */
uint64_t attach_stay_symbol(const struct attach_stay *stay, const char *name);

/* Keeps its variables as they are now that it has been opened, `address` being that of its symbol
 * `name`. 0, or -1 with *error set. */
int attach_stay_keep(struct attach_stay *stay, const struct stopped *stopped, const char *name,
                     uint64_t address, struct error *error) MUST_CHECK;

/* Puts them back; and the threads' ones, whose block is at `slot` (attach_block()) if that is not 0. */
void attach_stay_restore(const struct attach_stay *stay, const struct stopped *stopped,
                         uint64_t slot);

/* Where the block of a thread's variables of one library lies, by its entry in the thread's table of
 * blocks, in bytes (musl, src/internal/pthread_impl.h: dtv). 0 = the thread has none: it begins or
 * ends just now. */
uint64_t attach_block(const struct stopped *stopped, const struct stopped_thread *thread,
                      uint64_t slot);

/* Has every thread its block? musl before 1.1.22 makes it when it is first used. */
bool attach_blocks_made(const struct stopped *stopped, uint64_t slot);

#endif
