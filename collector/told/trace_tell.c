/* Messages that are printed at once: see trace_tell.h. */
#include "collector/told/trace_tell.h"

#include "collector/core/told_box.h"
#include "collector/core/thread_name.h"
#include "collector/process/process.h"

#include <string.h>
#include <time.h>

#define TELL_WAIT_MS 100u
#define TELL_NAMES_MAX 4096u /* bytes of a label, and of the names of values */

static struct mailbox mailbox; /* of struct fisql_told */
static uint32_t waited_ms;     /* atomic: since an entry was free */

static struct fisql_told_entry *entry_take(void)
{
    const struct timespec pause = {0, 1000000};
    struct fisql_told_entry *entry;
    mailbox.part = process.area->parts.told;
    while ((entry = told_box_take(&mailbox)) == NULL) {
        struct fisql_told *to = mailbox.memory;
        if (to == NULL || !mailbox_is_served(&to->mailbox))
            return NULL;
        if (__atomic_load_n(&waited_ms, __ATOMIC_RELAXED) >= TELL_WAIT_MS) {
            __atomic_fetch_add(&to->lost, 1, __ATOMIC_RELAXED);
            return NULL;
        }
        nanosleep(&pause, NULL);
        __atomic_fetch_add(&waited_ms, 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&waited_ms, 0, __ATOMIC_RELAXED);
    return entry;
}

/* Appends a text with its NUL. Returns its bytes; NULL has none. */
static uint32_t put_text(char **at, const char *text, size_t bytes_max)
{
    if (text == NULL)
        return 0;
    size_t bytes = strnlen(text, bytes_max);
    memcpy(*at, text, bytes);
    (*at)[bytes] = 0;
    *at += bytes + 1;
    return (uint32_t)bytes + 1;
}

struct fisql_told_entry *trace_tell_begin(const struct fisql_trace_point *point,
                                          uint32_t values_bytes, unsigned char **values)
{
    char name[THREAD_NAME_BYTES];
    struct fisql_told_said said = {.kind = point->what};
    if (values_bytes > FISQL_CHECKPOINT_BYTES_MAX)
        return NULL;
    struct fisql_told_entry *entry = entry_take();
    if (entry == NULL)
        return NULL;
    char *at = entry->text + sizeof said;
    thread_name_get(name);
    said.name_bytes = put_text(&at, name, sizeof name - 1);
    said.label_bytes = put_text(&at, point->label, TELL_NAMES_MAX);
    said.names_bytes = put_text(&at, point->values, TELL_NAMES_MAX);
    memcpy(entry->text, &said, sizeof said);
    entry->said = 1;
    *values = (unsigned char *)at;
    return entry;
}

void trace_tell_end(struct fisql_told_entry *entry, uint32_t values_bytes)
{
    struct fisql_told_said said;
    memcpy(&said, entry->text, sizeof said);
    said.values_bytes = values_bytes;
    memcpy(entry->text, &said, sizeof said);
    entry->bytes =
        (sizeof said + said.name_bytes + said.label_bytes + said.names_bytes + values_bytes) &
        0x7fffffffu;
    told_box_give(&mailbox, entry);
}
