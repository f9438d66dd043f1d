/* What becomes of an address that code loads into a register (x86_called.h): called alone, or more. */
#include "debuginfo/x86/x86_called.h"
#include "tests/unit/check.h"

#define LOAD_RAX "\x48\x8b\x05\x10\0\0\0"
#define LOAD_RBX "\x48\x8b\x1d\x10\0\0\0"
#define LOAD_RDI "\x48\x8b\x3d\x10\0\0\0"
#define LOAD_R11 "\x4c\x8b\x1d\x10\0\0\0"
#define LOAD_R12 "\x4c\x8b\x25\x10\0\0\0"
#define CALL_RAX "\xff\xd0"
#define CALL_RBX "\xff\xd3"
#define CALL_OTHER "\xe8\0\x10\0\0"
#define RETURN "\xc3"

/* The load is the first instruction. */
#define ONLY(code) x86_is_only_called((const unsigned char *)(code), sizeof(code) - 1, 0)

static void called(void)
{
    check(ONLY(LOAD_RAX CALL_RAX RETURN), "called at once");
    check(ONLY(LOAD_RAX "\x31\xff" CALL_RAX RETURN), "behind an argument");
    check(ONLY(LOAD_RAX "\xff\xe0"), "jumped to");
    check(ONLY(LOAD_RBX CALL_RBX CALL_OTHER CALL_RBX "\x5b" RETURN), "twice, another call between");
    check(ONLY(LOAD_RBX CALL_RBX "\xeb\xfc"), "in a loop");
    check(ONLY(LOAD_RBX "\x85\xc0\x74\x02" CALL_RBX "\x5b" RETURN), "if at all");
    check(ONLY(LOAD_RBX CALL_RBX "\x31\xdb\x48\x89\xdf" CALL_OTHER RETURN),
          "what the register holds later is something else");
    check(ONLY(LOAD_R12 "\x41\xff\xd4" CALL_OTHER), "up to a call that does not return");
    check(ONLY(LOAD_R11 CALL_OTHER RETURN), "no function passes r11");
}

static void more(void)
{
    check(!ONLY(LOAD_RAX RETURN), "returned");
    check(!ONLY(LOAD_RDI CALL_OTHER RETURN), "passed to a function");
    check(!ONLY(LOAD_RDI "\xe9\0\x10\0\0"), "passed by a jump");
    check(!ONLY(LOAD_RBX CALL_RBX "\x48\x89\xdf" CALL_OTHER RETURN), "called, then passed");
    check(!ONLY(LOAD_RBX "\x48\x89\x5c\x24\x08" CALL_RBX RETURN), "kept on the stack");
    check(!ONLY(LOAD_R12 "\x4d\x85\xe4\x74\x03\x41\xff\xd4" RETURN), "compared");
    check(!ONLY(LOAD_RBX "\x85\xc0\x0f\x84\0\x10\0\0" CALL_RBX RETURN),
          "where a part of the function lies elsewhere");
    check(!ONLY(LOAD_RBX "\xff\xe2"), "before a table of jumps");
    check(!ONLY(LOAD_RBX "\x06"), "before what is no instruction");
    check(!ONLY("\xff\x15\0\0\0\0"), "no load at all");
}

int main(void)
{
    called();
    more();
    return check_status();
}
