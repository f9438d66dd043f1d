/* Printing diaries: see diary_tell.h. */
#include "collector/diary/diary_tell.h"

#include "collector/diary/diary_table.h"
#include "collector/core/digits.h"
#include "collector/core/module_names.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/core/shown.h"
#include "collector/core/told_box.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Not on the stack, because a signal handler's may be small. */
struct scratch {
    struct moment moments[2 * DIARY_MOMENTS];
    char text[FISQL_TOLD_TEXT_MAX];
};

/* Text in the making; what does not fit is left out. */
struct told {
    char *text;
    uint32_t bytes;
    uint64_t now;
};

static struct mailbox mailbox; /* of struct fisql_told */

/* The part in which fisql record waits for texts. */
static void load(const struct fisql_live_parts *parts)
{
    mailbox.part = parts->told;
}

const struct feature diary_feature = {.load = load};

/* ---- the text ---- */

/* Bytes that would not stay one line of text are shown as '?'. */
static void put_bytes(struct told *told, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes && told->bytes < FISQL_TOLD_TEXT_MAX; i++) {
        unsigned char byte = (unsigned char)text[i];
        told->text[told->bytes++] = (char)(byte < ' ' || byte == 0x7f ? '?' : byte);
    }
}

static void put(struct told *told, const char *text)
{
    put_bytes(told, text, strlen(text));
}

static void put_line(struct told *told)
{
    if (told->bytes < FISQL_TOLD_TEXT_MAX)
        told->text[told->bytes++] = '\n';
}

static void put_digits(struct told *told, uint64_t value, unsigned base, unsigned least)
{
    char digits[DIGITS_BYTES];
    put(told, digits_put(digits, value, base, least));
}

static void put_hex(struct told *told, uint64_t value)
{
    put(told, "0x");
    put_digits(told, value, 16, 1);
}

static void put_number(struct told *told, int64_t value)
{
    if (value < 0)
        put(told, "-");
    put_digits(told, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 1);
}

/* MODULE+0xOFFSET, as in the module's file. */
static void put_place(struct told *told, uint64_t address)
{
    const struct module_name *module = module_names_find(address);
    if (module != NULL) {
        put(told, module->path);
        put(told, "+");
    }
    put_hex(told, module != NULL ? address - module->bias : address);
}

static void put_frame(struct told *told, uint64_t function, uint64_t from)
{
    put(told, FISQL_TOLD_FRAME);
    put_place(told, function);
    put(told, " (");
    put_place(told, from - 1); /* of the call, not of the code behind it */
    put(told, ")");
    put_line(told);
}

static void put_stack(struct told *told, const struct moment *moment)
{
    uint64_t from = moment->from;
    uint32_t frames = moment->calls < DIARY_FRAMES ? moment->calls : DIARY_FRAMES;
    if (frames == 0)
        put_frame(told, from - 1, from);
    for (uint32_t i = 0; i < frames; i++) {
        put_frame(told, moment->frames[i].function, from);
        from = moment->frames[i].site;
    }
    if (moment->calls > frames) {
        put(told, FISQL_TOLD_FRAME "... and ");
        put_digits(told, moment->calls - frames, 10, 1);
        put(told, " calls around these");
        put_line(told);
    }
}

static void put_age(struct told *told, uint64_t tick)
{
    uint64_t us_ticks = process.clock == CLOCK_SYSTEM ? 1000 : process.ticks_per_us;
    if (us_ticks == 0)
        return; /* no clock */
    /* Another thread may have kept it after `now`. */
    uint64_t us = told->now > tick ? (told->now - tick) / us_ticks : 0;
    put(told, ", ");
    put_digits(told, us / 1000000, 10, 1);
    put(told, ".");
    put_digits(told, us % 1000000, 10, 6);
    put(told, " s ago");
}

static void put_moment(struct told *told, const struct moment *moment, uint32_t number)
{
    static const char *const names[] = {
#define NAME(constant, place, name, holds) [place] = name,
        FISQL_OBJECT_KINDS(NAME)
#undef NAME
    };
    put(told, "  ");
    put_digits(told, number, 10, 1);
    put(told, ". ");
    put(told, names[moment->kind]);
    if (moment->kind == FISQL_OBJECT_KEEP) {
        put(told, " \"");
        put_bytes(told, moment->text, moment->text_bytes);
        put(told, "\"");
    } else if (moment->kind != FISQL_OBJECT_GONE) {
        put(told, moment->kind == FISQL_OBJECT_KEEP_NUMBER ? " " : " with a count of ");
        put_number(told, moment->number);
    }
    put(told, ": thread ");
    put_digits(told, moment->tid, 10, 1);
    put_age(told, moment->tick);
    put_line(told);
    put_stack(told, moment);
}

static void put_why(struct told *told, uint64_t object, enum diary_why why, int64_t count)
{
    if (why == DIARY_ASKED)
        return;
    put(told, why == DIARY_REF_AFTER ? "fisql: FISQL_REF of " : "fisql: FISQL_UNREF of ");
    put_hex(told, object);
    if (why == DIARY_GIVEN_BACK_TOO) {
        put(told, " with a count of ");
        put_number(told, count);
        put(told, ": it is given back more often than it was taken");
    } else {
        put(told, " after FISQL_GONE");
    }
    put_line(told);
}

static void put_diary(struct told *told, uint64_t object, const struct moment *moments,
                      uint32_t count)
{
    uint64_t lost = diary_lost();
    put(told, "fisql: diary of ");
    put_hex(told, object);
    put(told, " in process ");
    put_digits(told, process.pid, 10, 1);
    put(told,
        count == 0 ? ": nothing is kept of it" : ": what was kept last, the newest at the end");
    if (lost != 0) {
        put(told, " (");
        put_digits(told, lost, 10, 1);
        put(told, " diaries made room for others)");
    }
    put_line(told);
    for (uint32_t i = 0; i < count; i++)
        put_moment(told, &moments[i], i + 1);
}

/* ---- printing ---- */

/* Hands the text to fisql record. False if it cannot. */
static bool hand_over(const struct told *told)
{
    struct fisql_told_entry *entry = told_box_take(&mailbox);
    if (entry == NULL)
        return false;
    entry->bytes = told->bytes & 0x7fffffffu;
    entry->said = 0;
    memcpy(entry->text, told->text, told->bytes);
    told_box_give(&mailbox, entry);
    return true;
}

static bool print_bytes(const char *text, uint32_t bytes)
{
    for (uint32_t done = 0; done < bytes;) {
        ssize_t written = write(STDERR_FILENO, text + done, bytes - done);
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (uint32_t)written : 0;
    }
    return true;
}

static void print(const struct told *told)
{
    char part[256];
    uint32_t used = 0;
    for (uint32_t i = 0; i < told->bytes; i++) {
        bool ends = told->text[i] == '\n';
        if (ends)
            part[used++] = '\n';
        else
            used += shown_put(part + used, told->text[i]);
        if (i + 1 < told->bytes && used + SHOWN_BYTES_MAX <= sizeof part)
            continue;
        if (!print_bytes(part, used))
            return;
        used = 0;
    }
}

void diary_tell(uint64_t object, enum diary_why why, int64_t count)
{
    struct quiet quiet;
    if (silent())
        return;
    quiet_begin(&quiet);
    struct scratch *scratch = mmap(NULL, sizeof *scratch, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (scratch != MAP_FAILED) {
        struct told told = {.text = scratch->text, .now = clock_read(process.clock)};
        put_why(&told, object, why, count);
        put_diary(&told, object, scratch->moments, diary_read(object, scratch->moments));
        if (!hand_over(&told))
            print(&told);
        munmap(scratch, sizeof *scratch);
    }
    quiet_end(&quiet);
}
