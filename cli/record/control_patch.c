/* See control_patch.h. */
#include "cli/record/control_patch.h"

#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "cli/record/robust.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define WAIT_NS INT64_C(10000000000)
#define LOOK_NS 50000000

static void *part_map(int file, const struct fisql_live_part *part, size_t bytes)
{
    if (part->bytes < bytes || part->offset % 65536 != 0 || part->offset > INT64_MAX / 2)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)part->offset);
    return memory != MAP_FAILED ? memory : NULL;
}

void control_parts_open(struct control_parts *parts, int file, const struct fisql_live_area *area)
{
    parts->late = part_map(file, &area->parts.late, sizeof *parts->late);
    parts->patching = part_map(file, &area->parts.patching, sizeof *parts->patching);
}

void control_parts_close(const struct control_parts *parts)
{
    if (parts->late != NULL)
        munmap(parts->late, sizeof *parts->late);
    if (parts->patching != NULL)
        munmap(parts->patching, sizeof *parts->patching);
}

/* Was a module of the run patched? */
static bool is_patched(const struct fisql_late *late)
{
    for (uint32_t i = 0; late != NULL && i < FISQL_LATE_MAX; i++)
        if (__atomic_load_n(&late->modules[i].state, __ATOMIC_ACQUIRE) == FISQL_LATE_ANSWERED &&
            late->modules[i].plan.bytes != 0)
            return true;
    return false;
}

static bool is_served(struct fisql_patching *patching)
{
    uint32_t alive = __atomic_load_n(&patching->mailbox.alive, __ATOMIC_SEQ_CST);
    return alive != 0 && (alive & FUTEX_OWNER_DIED) == 0;
}

/* Asks, and waits for the answer. False: there is none. */
static bool ask(struct fisql_patching *patching)
{
    const struct timespec look = {0, LOOK_NS};
    int64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + WAIT_NS;
    uint32_t number = __atomic_add_fetch(&patching->asked, 1, __ATOMIC_SEQ_CST), answered;
    __atomic_fetch_add(&patching->mailbox.wake, 1, __ATOMIC_SEQ_CST);
    word_wake(&patching->mailbox.wake);
    while ((int32_t)((answered = __atomic_load_n(&patching->answered, __ATOMIC_ACQUIRE)) - number) <
           0) {
        if (!is_served(patching) || clock_now_ns(CLOCK_MONOTONIC) > end_ns)
            return false;
        word_wait(&patching->answered, answered, &look);
    }
    return true;
}

static void say_answer(const struct fisql_patching *patching)
{
    char text[FISQL_PATCHING_TEXT], *rest = text;
    memcpy(text, patching->text, sizeof text);
    text[sizeof text - 1] = 0;
    for (const char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != 0)
            note("%s: its functions stay as they are until that is over; the hooks leave out "
                 "what you ask",
                 line);
}

void control_patch(int file, const struct fisql_live_area *area)
{
    struct control_parts parts;
    control_parts_open(&parts, file, area);
    if (parts.patching == NULL || !is_patched(parts.late))
        ; /* there is nothing to patch */
    else if (!is_served(parts.patching))
        note("the fisql record that could patch its functions is gone: they stay as they are; the "
             "hooks leave out what you ask");
    else if (!ask(parts.patching))
        note(
            "fisql record does not answer: functions stay patched as they are; the hooks leave out "
            "what you ask");
    else
        say_answer(parts.patching);
    control_parts_close(&parts);
}
