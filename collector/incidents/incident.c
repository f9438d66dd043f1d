/* Reporting that something went wrong: see incident.h. */
#include "collector/incidents/incident.h"

#include "collector/core/event.h"
#include "collector/core/fork_mark.h"
#include "collector/incidents/incident_print.h"
#include "collector/incidents/incident_stack.h"
#include "collector/core/mailbox.h"
#include "collector/core/modules.h"
#include "collector/core/quiet.h"
#include "collector/core/word_wait.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAIT_NS 200000000u /* the most we wait for a report, and for another process's before it */

static struct fisql_incident_box *box;

/* Stack pointer of the thread's last report; 0 = none, or the program went on. */
static THREAD_LOCAL uint64_t told_at;
static THREAD_LOCAL uint32_t telling;

/* Writes the incident into the thread's log: a first event, and as many more as the text needs. */
static void record(const struct fisql_incident *told)
{
    unsigned char bytes[EVENT_BYTES_MAX];
    const char *text = told->text;
    size_t left = strlen(text), part, head = FISQL_INCIDENT_HEAD;
    bytes[0] = (unsigned char)told->kind;
    bytes[1] = (unsigned char)told->signal;
    bytes[2] = (unsigned char)told->flags;
    memcpy(bytes + 3, &told->address, sizeof told->address);
    memcpy(bytes + 11, &told->code, sizeof told->code);
    if ((told->flags & FISQL_INCIDENT_CALLER) != 0) {
        memcpy(bytes + head, &told->caller, sizeof told->caller);
        head += sizeof told->caller;
    }
    part = left < sizeof bytes - head ? left : sizeof bytes - head;
    memcpy(bytes + head, text, part);
    log_record_bytes(FISQL_CODE_INCIDENT, bytes, head + part);
    for (text += part, left -= part; left > 0; text += part, left -= part) {
        part = left < sizeof bytes - 1 ? left : sizeof bytes - 1;
        bytes[0] = FISQL_INCIDENT_MORE;
        memcpy(bytes + 1, text, part);
        log_record_bytes(FISQL_CODE_INCIDENT, bytes, 1 + part);
    }
}

/* The same for the words of registers and the frame. */
static void record_pointers(const struct trouble *trouble)
{
    unsigned char bytes[EVENT_BYTES_MAX];
    const uint32_t fit = (sizeof bytes - 1) / sizeof trouble->pointers[0];
    bytes[0] = FISQL_INCIDENT_POINTERS;
    for (uint32_t at = 0, count; at < trouble->pointers_count; at += count) {
        count = trouble->pointers_count - at < fit ? trouble->pointers_count - at : fit;
        memcpy(bytes + 1, trouble->pointers + at, count * sizeof trouble->pointers[0]);
        log_record_bytes(FISQL_CODE_INCIDENT, bytes, 1 + count * sizeof trouble->pointers[0]);
    }
}

/* Puts the incident into the box and waits. Returns false if nobody began to report it. */
static bool box_tell(const struct fisql_incident *told)
{
    if (box == NULL || box->unwanted != 0 || !mailbox_is_served(&box->mailbox))
        return box != NULL && box->unwanted != 0;
    uint32_t ticket = __atomic_add_fetch(&box->tickets, 1, __ATOMIC_ACQ_REL), holder = 0;
    if (ticket == 0)
        ticket = __atomic_add_fetch(&box->tickets, 1, __ATOMIC_ACQ_REL);
    /* A process that holds the box for long may be gone: then we take it over. */
    while (!__atomic_compare_exchange_n(&box->holder, &holder, ticket, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
        if (word_wait(&box->holder, holder, word_now_ns() + WAIT_NS))
            holder = 0;
    box->incident = *told;
    __atomic_store_n(&box->asked, ticket, __ATOMIC_RELEASE);
    mailbox_wake(&box->mailbox);
    uint64_t end = word_now_ns() + WAIT_NS;
    for (uint32_t done; (done = __atomic_load_n(&box->done, __ATOMIC_ACQUIRE)) != ticket;)
        if (!word_wait(&box->done, done, end))
            return __atomic_load_n(&box->begun, __ATOMIC_ACQUIRE) == ticket;
    return true;
}

/* Does the calling process record, as far as we can tell when something went wrong? The child of a
 * vfork() has its parent's memory, and nothing of its own. */
static bool may_tell(void)
{
    if (!process_recording() || silent() || telling != 0)
        return false;
    return fork_mark.mine == 0 || (uint32_t)syscall(SYS_getpid) == process.pid;
}

void incident_tell(struct trouble *trouble)
{
    struct quiet quiet;
    if (!may_tell())
        return;
    quiet_begin(&quiet);
    telling++;
    if (trouble->fatal) {
        incident_look(trouble);
        incident_find_caller(trouble);
    }
    record(&trouble->told);
    record_pointers(trouble);
    const struct thread_log *log = current_log;
    trouble->told.pid = process.pid;
    trouble->told.tid = (uint32_t)syscall(SYS_gettid);
    trouble->told.process_key = process.key;
    trouble->told.thread = log != NULL ? log->live.thread : UINT32_MAX;
    trouble->told.tick = log != NULL ? log_last_tick(log) : 0;
    if (trouble->told.kind != FISQL_INCIDENT_STACKS)
        told_at = trouble->stack;
    if (!box_tell(&trouble->told))
        incident_print(trouble);
    telling--;
    quiet_end(&quiet);
}

void incident_mismatch(uint64_t function, uint64_t site, uint64_t stack)
{
    struct trouble trouble;
    trouble_begin(&trouble, FISQL_INCIDENT_STACK, 0, function + 1, stack);
    trouble.fatal = false;
    trouble_text(&trouble,
                 "a function ends that was not entered: the stack was smashed, and a call "
                 "returned into it; it is to return to ");
    trouble_hex(&trouble, site);
    incident_tell(&trouble);
    incident_forget();
}

void incident_freed_twice(uint64_t block, uint64_t site, uint64_t stack)
{
    struct trouble trouble;
    int error = errno;
    trouble_begin(&trouble, FISQL_INCIDENT_DOUBLE_FREE, 0, site, stack);
    trouble.fatal = false;
    trouble.told.address = block;
    trouble.told.flags |= FISQL_INCIDENT_ADDRESS;
    trouble_text(&trouble, "double free of ");
    trouble_hex(&trouble, block);
    incident_tell(&trouble);
    errno = error;
}

bool incident_is_told(uint64_t stack)
{
    return telling != 0 || (told_at != 0 && stack <= told_at);
}

void incident_forget(void)
{
    told_at = 0;
}

void incident_load(const struct fisql_live_parts *parts)
{
    struct mailbox mailbox = {.part = parts->incidents};
    box = mailbox_open(&mailbox, sizeof *box);
}
