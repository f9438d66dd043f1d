/* Putting an incident together: see trouble.h. */
#include "collector/incidents/trouble.h"

#include "collector/core/digits.h"

#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void trouble_begin(struct trouble *trouble, enum fisql_incident_kind kind, int signal,
                   uint64_t code, uint64_t stack)
{
    memset(trouble, 0, sizeof *trouble);
    trouble->told.kind = (uint32_t)kind;
    trouble->told.signal = (uint32_t)signal;
    trouble->told.code = code;
    trouble->stack = stack;
    trouble->fatal = true;
}

void trouble_text(struct trouble *trouble, const char *text)
{
    char *to = trouble->told.text;
    size_t used = strlen(to);
    while (*text != 0 && used + 1 < sizeof trouble->told.text)
        to[used++] = *text++;
    while (*text != 0 && used > 0 && ((unsigned char)*text & 0xc0) == 0x80)
        text = (unsigned char)to[--used] >= 0xc0 ? "" : text; /* not inside a UTF-8 character */
    to[used] = 0;
}

void trouble_number(struct trouble *trouble, uint64_t number)
{
    char digits[DIGITS_BYTES];
    trouble_text(trouble, digits_put(digits, number, 10, 1));
}

void trouble_hex(struct trouble *trouble, uint64_t number)
{
    char digits[DIGITS_BYTES];
    trouble_text(trouble, "0x");
    trouble_text(trouble, digits_put(digits, number, 16, 1));
}

bool incident_read(uint64_t address, void *into, size_t bytes)
{
    struct iovec here = {into, bytes}, there = {(void *)(uintptr_t)address, bytes};
    return syscall(SYS_process_vm_readv, (long)getpid(), &here, 1L, &there, 1L, 0L) == (long)bytes;
}
