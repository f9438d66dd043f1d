/* What is known of an incident, as it is put together: see trouble.h. */
#include "collector/incidents/trouble.h"

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
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    trouble_text(trouble, digits + at);
}

void trouble_hex(struct trouble *trouble, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do
        digits[--at] = "0123456789abcdef"[number & 15];
    while ((number >>= 4) != 0);
    trouble_text(trouble, "0x");
    trouble_text(trouble, digits + at);
}

bool incident_read(uint64_t address, void *into, size_t bytes)
{
    struct iovec here = {into, bytes}, there = {(void *)(uintptr_t)address, bytes};
    return syscall(SYS_process_vm_readv, (long)getpid(), &here, 1L, &there, 1L, 0L) == (long)bytes;
}
