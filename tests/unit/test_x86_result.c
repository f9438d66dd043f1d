/* Where results lie at the exit hook's call, told from the instructions behind it (x86_result.h). */
#include "debuginfo/x86/x86_result.h"
#include "tests/unit/check.h"

#define START 0x1000u

static struct x86_result found;

/* Follows code, which is taken for all of a module's. */
static bool follow(const char *code, size_t length, enum x86_result_in in, bool frame_pointer)
{
    Elf64_Phdr segment = {.p_type = PT_LOAD,
                          .p_flags = PF_X | PF_R,
                          .p_vaddr = START,
                          .p_filesz = length,
                          .p_memsz = length};
    struct elf_file file = {.bytes = (const unsigned char *)code,
                            .size_bytes = length,
                            .machine = EM_X86_64,
                            .segments = &segment,
                            .segments_count = 1};
    return x86_result_find(&file, START, in, frame_pointer, &found);
}

#define FOLLOW(code, in) follow(code, sizeof(code) - 1, in, false)

static bool is(int how, unsigned base, int32_t offset, unsigned size, unsigned extended)
{
    return (int)found.how == how && found.base == base && found.offset == offset &&
           found.size_bytes == size && found.extended_bytes == extended;
}

#define RAX X86_RESULT_RAX
#define POPS "\x5b\x5d\x41\x5c\xc3" /* pop %rbx, %rbp, %r12; ret */

static void general_registers(void)
{
    check(FOLLOW("\x89\xd8" POPS, RAX) && is(X86_RESULT_SUM, 3, 0, 4, 8) && !found.extends_sign,
          "mov %%ebx, %%eax: 4 bytes of rbx, and zeros");
    check(FOLLOW("\x4c\x89\xe0" POPS, RAX) && is(X86_RESULT_SUM, 12, 0, 8, 0),
          "mov %%r12, %%rax: all of r12");
    check(FOLLOW("\x48\x63\xc3" POPS, RAX) && is(X86_RESULT_SUM, 3, 0, 4, 8) && found.extends_sign,
          "movslq %%ebx, %%rax: 4 bytes of rbx, and its sign");
    check(FOLLOW("\x0f\xb6\xc3" POPS, RAX) && is(X86_RESULT_SUM, 3, 0, 1, 8),
          "movzbl %%bl, %%eax: a byte of rbx, and zeros");
    check(FOLLOW("\x88\xd8" POPS, RAX) && is(X86_RESULT_SUM, 3, 0, 1, 0),
          "mov %%bl, %%al: a byte of rbx, and nothing is known of the others");
    check(FOLLOW("\x48\x8d\x43\x10" POPS, RAX) && is(X86_RESULT_SUM, 3, 16, 8, 0),
          "lea 16(%%rbx), %%rax: a sum");
    check(FOLLOW("\x8d\x43\x10" POPS, RAX) && is(X86_RESULT_SUM, 3, 16, 4, 0),
          "lea 16(%%rbx), %%eax: of which 4 bytes are right");
    check(FOLLOW("\x89\xd8\x83\xe8\x02\x48\x98" POPS, RAX) && is(X86_RESULT_SUM, 3, -2, 4, 8),
          "mov %%ebx, %%eax; sub $2, %%eax; cltq");
    check(FOLLOW("\x31\xc0" POPS, RAX) && found.how == X86_RESULT_CONSTANT && found.constant == 0,
          "xor %%eax, %%eax: a constant");
    check(FOLLOW("\xb8\xff\xff\xff\xff" POPS, RAX) && found.constant == 0xffffffff,
          "mov $-1, %%eax: its upper half is 0");
    check(FOLLOW("\x48\xc7\xc0\xff\xff\xff\xff\xc3", RAX) && found.constant == UINT64_MAX,
          "mov $-1, %%rax: it is not");
    check(FOLLOW("\x48\x89\xd8\xeb\x01\x90" POPS, RAX) && is(X86_RESULT_SUM, 3, 0, 8, 0),
          "a jump to the common end is followed");
}

static void frame(void)
{
    check(FOLLOW("\x48\x83\xc4\x08\x8b\x44\x24\x04" POPS, RAX) &&
              is(X86_RESULT_MEMORY, 7, 12, 4, 8),
          "add $8, %%rsp; mov 4(%%rsp), %%eax: counted from rsp at the call");
    check(follow("\x48\x8b\x45\xf8\xc9\xc3", 6, RAX, true) && is(X86_RESULT_MEMORY, 6, -8, 8, 0),
          "mov -8(%%rbp), %%rax; leave, where rbp is the frame's");
    check(!FOLLOW("\x48\x8b\x45\xf8\xc9\xc3", RAX), "and not where it may point anywhere");
    check(!FOLLOW("\x48\x8b\x03" POPS, RAX), "nor what rbx points to");
    check(!follow("\x64\x48\x8b\x45\xf8\xc9\xc3", 7, RAX, true), "nor a thread's variable");
    check(!FOLLOW("\x67\x48\x8b\x44\x24\x08\xc3", RAX), "nor an address of 32 bits");
    check(!FOLLOW("\x5b\x48\x89\xd8\xc3", RAX), "a register that was given back is the caller's");
    check(FOLLOW("\xf2\x0f\x10\x44\x24\x08\x48\x83\xc4\x18\xc3", X86_RESULT_XMM0) &&
              is(X86_RESULT_MEMORY, 7, 8, 8, 0),
          "movsd 8(%%rsp), %%xmm0");
    check(FOLLOW("\x66\x48\x0f\x6e\xc3" POPS, X86_RESULT_XMM0) && is(X86_RESULT_SUM, 3, 0, 8, 0),
          "movq %%rbx, %%xmm0");
    check(FOLLOW("\xdb\x6c\x24\x10\x48\x83\xc4\x28\xc3", X86_RESULT_X87) &&
              is(X86_RESULT_MEMORY, 7, 16, 10, 0),
          "fldt 16(%%rsp)");
}

static void what_ends_it(void)
{
    check(!FOLLOW(POPS, RAX), "calls leave nothing in rax");
    check(!FOLLOW("\x89\xd0\xc3", RAX), "nor in rdx");
    check(!FOLLOW("\x89\xd8\x74\x00" POPS, RAX), "a branch");
    check(!FOLLOW("\x89\xd8\xe8\x00\x00\x00\x00" POPS, RAX), "a call");
    check(!FOLLOW("\x89\xd8\x89\x44\x24\x08" POPS, RAX), "a store");
    check(!FOLLOW("\x89\xd8\xc1\xe8\x02" POPS, RAX), "an instruction that is not known");
    check(!FOLLOW("\x89\xd8\xeb\xfe", RAX), "a loop");
    check(!FOLLOW("\x89\xd8", RAX), "the end of the code");
    check(!FOLLOW("\x88\xf8" POPS, RAX), "mov %%bh, %%al: the second byte of a register");
}

int main(void)
{
    general_registers();
    frame();
    what_ends_it();
    return check_status();
}
