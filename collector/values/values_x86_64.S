/*
 * The hooks of libfisql-values.so on x86-64, the trampoline to which functions with an awaited
 * result return, and the function in front of _Unwind_Resume(): see values.h and values_result.c.
 *
 * Nothing here is marked as fit for a shadow stack (CET): so the C library switches that off for
 * the process, whose return addresses we change.
 */
#if defined(__x86_64__) && defined(FISQL_VALUES)

#define FRAME 272 /* sizeof(struct values_frame) */
#define KEPT 128  /* offsets in it: vectors_kept, ... */
#define GENERAL 136
#define REGISTER(number) (GENERAL + 8 * (number)) /* general registers by DWARF's numbers */
#define BELOW(offset) ((offset) - FRAME + 8) /* from the stack pointer of the hook's call */
#define PLACES 65536    /* RECIPE_PLACES */
#define VOLATILE_BIT 62 /* of RECIPE_VOLATILE */

	.text

/* Looks up the recipe of the hook call. Without one it goes on as the plain hook. Else it keeps the
 * registers that a value may lie in as struct values_frame, whose last word is the hook's return
 * address, and goes on with the frame address as third argument and the recipe's word as fourth. */
	.macro hook name, go_on, plain, forced
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	movq %rax, BELOW(REGISTER(0))(%rsp)
	movq %r11, BELOW(REGISTER(11))(%rsp)
	movl (%rsp), %eax /* its place: 16 bytes for each 8 of code */
	andl $((PLACES - 1) * 8), %eax
	movq recipe_cache(%rip), %r11
	testq %r11, %r11
	jz 1f
	leaq (%r11, %rax, 2), %r11
	movq (%rsp), %rax
	cmpq %rax, (%r11)
	jne 1f
	movq 8(%r11), %rax
	testq %rax, %rax
	jz 3f
	subq $(FRAME - 8), %rsp
	.cfi_adjust_cfa_offset FRAME - 8
	btq $VOLATILE_BIT, %rax
	jc 2f
0:	movq %rbx, REGISTER(3)(%rsp)
	movq %rbp, REGISTER(6)(%rsp)
	leaq FRAME(%rsp), %rdx
	movq %rdx, REGISTER(7)(%rsp)
	movq %r12, REGISTER(12)(%rsp)
	movq %r13, REGISTER(13)(%rsp)
	movq %r14, REGISTER(14)(%rsp)
	movq %r15, REGISTER(15)(%rsp)
	movq $0, KEPT(%rsp)
	movq %rax, %rcx
	call \go_on
	.ifnb \forced
	testq %rax, %rax
	jnz \forced
	.endif
	addq $(FRAME - 8), %rsp
	.cfi_adjust_cfa_offset 8 - FRAME
	ret
1:	/* not known yet: everything may be needed */
	subq $(FRAME - 8), %rsp
	.cfi_adjust_cfa_offset FRAME - 8
	xorl %eax, %eax
2:	movq %rdx, REGISTER(1)(%rsp)
	movq %rcx, REGISTER(2)(%rsp)
	movq %r8, REGISTER(8)(%rsp)
	movq %r9, REGISTER(9)(%rsp)
	movq %r10, REGISTER(10)(%rsp)
	jmp 0b
	.cfi_adjust_cfa_offset 8 - FRAME
3:	movq (%rsp), %rcx
	leaq 8(%rsp), %rdx
	jmp \plain
	.cfi_endproc
	.size \name, . - \name
	.endm

#if defined(FISQL_FAULTS)
	hook __cyg_profile_func_enter, faults_enter, values_enter_plain, faults_return
	hook __cyg_profile_func_exit, faults_exit, faults_exit_plain, faults_return
#else
	hook __cyg_profile_func_enter, values_enter, values_enter_plain
	hook __cyg_profile_func_exit, values_exit, values_exit_plain
#endif

#if defined(FISQL_FAULTS)
/* The function returns at once: the frame has its caller's registers and begins with what to return
 * (struct fault_return). */
	.type faults_return, @function
	.p2align 4
faults_return:
	.cfi_startproc
	.cfi_undefined %rip
	movq REGISTER(3)(%rsp), %rbx
	movq REGISTER(6)(%rsp), %rbp
	movq REGISTER(12)(%rsp), %r12
	movq REGISTER(13)(%rsp), %r13
	movq REGISTER(14)(%rsp), %r14
	movq REGISTER(15)(%rsp), %r15
	movq 0(%rsp), %rax
	movq %rax, %rdi /* for faults_raise() */
	movq 8(%rsp), %rdx
	movq 16(%rsp), %xmm0
	movq 32(%rsp), %rcx
	movq 24(%rsp), %rsp
	notrack jmp *%rcx
	.cfi_endproc
	.size faults_return, . - faults_return
#endif

#define RETURNED 80 /* sizeof(struct values_returned) */
#define RETURNED_GENERAL 64
#define KEEP 160 /* seven more, and the slot that the function returned by */

/* A function returned here: its result is in rax, rdx, xmm0, xmm1. We keep everything that may be
 * part of it, or that callers with other calling conventions rely on. Backtraces end here, also
 * those that look up the address before. */
	.globl values_trampoline
	.hidden values_trampoline
	.type values_trampoline, @function
	.p2align 4
	.cfi_startproc
	.cfi_undefined %rip
	.cfi_def_cfa %rsp, 0
	nop
values_trampoline:
	subq $KEEP, %rsp
	.cfi_adjust_cfa_offset KEEP
	movups %xmm0, 0(%rsp)
	movups %xmm1, 16(%rsp)
	movq %rax, RETURNED_GENERAL + 0(%rsp)
	movq %rdx, RETURNED_GENERAL + 8(%rsp)
	movq %rcx, RETURNED + 0(%rsp)
	movq %rsi, RETURNED + 8(%rsp)
	movq %rdi, RETURNED + 16(%rsp)
	movq %r8, RETURNED + 24(%rsp)
	movq %r9, RETURNED + 32(%rsp)
	movq %r10, RETURNED + 40(%rsp)
	movq %r11, RETURNED + 48(%rsp)
	leaq KEEP(%rsp), %rdi
	movq %rsp, %rsi
	call values_returned
	/* Into the slot by which the function returned: the address belongs there. */
	movq %rax, KEEP - 8(%rsp)
	movq RETURNED_GENERAL + 0(%rsp), %rax
	movq RETURNED_GENERAL + 8(%rsp), %rdx
	movq RETURNED + 0(%rsp), %rcx
	movq RETURNED + 8(%rsp), %rsi
	movq RETURNED + 16(%rsp), %rdi
	movq RETURNED + 24(%rsp), %r8
	movq RETURNED + 32(%rsp), %r9
	movq RETURNED + 40(%rsp), %r10
	movq RETURNED + 48(%rsp), %r11
	leaq KEEP(%rsp), %rsp
	.cfi_adjust_cfa_offset -KEEP
	notrack jmp *-8(%rsp)
	.cfi_endproc
	.size values_trampoline, . - values_trampoline

	.globl _Unwind_Resume
	.type _Unwind_Resume, @function
	.p2align 4
_Unwind_Resume:
	.cfi_startproc
	endbr64
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	leaq 16(%rsp), %rdi
	call values_unwinding
	popq %rdi
	.cfi_adjust_cfa_offset -8
	jmp *%rax
	.cfi_endproc
	.size _Unwind_Resume, . - _Unwind_Resume

#if defined(__CET__) && (__CET__ & 1)
	.section .note.gnu.property, "a"
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000002, 4, 1, 0 /* indirect branches land only on endbr64 */
#endif

#endif

	.section .note.GNU-stack, "", @progbits
