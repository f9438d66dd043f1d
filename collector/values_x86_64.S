/*
 * The hooks of libfisql-values.so on x86-64, the trampoline that functions return to whose result is
 * awaited, and what stands in front of _Unwind_Resume(): see values.h and values_result.c.
 *
 * No part of it is marked as fit for a shadow stack (CET): the C library then switches that off for
 * the process, where return addresses are not what they were.
 */
#if defined(__x86_64__) && defined(FISQL_VALUES)

#define FRAME 272  /* sizeof(struct values_frame) */
#define KEPT 128   /* offsets in it */
#define GENERAL 136

	.text

/* Keeps what a value may lie in, as struct values_frame, of which the hook's return address is the
   last word, and goes on with the frame address as third argument. */
	.macro hook name, go_on
	.globl \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	subq $(FRAME - 8), %rsp
	.cfi_adjust_cfa_offset FRAME - 8
	movq %rax, GENERAL + 0(%rsp)
	movq %rdx, GENERAL + 8(%rsp)
	movq %rcx, GENERAL + 16(%rsp)
	movq %rbx, GENERAL + 24(%rsp)
	movq %rbp, GENERAL + 48(%rsp)
	leaq FRAME(%rsp), %rdx
	movq %rdx, GENERAL + 56(%rsp)
	movq %r8, GENERAL + 64(%rsp)
	movq %r9, GENERAL + 72(%rsp)
	movq %r10, GENERAL + 80(%rsp)
	movq %r11, GENERAL + 88(%rsp)
	movq %r12, GENERAL + 96(%rsp)
	movq %r13, GENERAL + 104(%rsp)
	movq %r14, GENERAL + 112(%rsp)
	movq %r15, GENERAL + 120(%rsp)
	movq $0, KEPT(%rsp)
	call \go_on
	addq $(FRAME - 8), %rsp
	.cfi_adjust_cfa_offset 8 - FRAME
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	hook __cyg_profile_func_enter, values_enter
	hook __cyg_profile_func_exit, values_exit

#define RETURNED 80 /* sizeof(struct values_returned) */
#define RETURNED_GENERAL 64
#define KEEP (RETURNED + 7 * 8 + 8 + 8)

/* A function returned here: its result is in rax, rdx, xmm0, xmm1. What may be part of it, or what
   callers of other calling conventions rely on, is as it was. A backtrace ends here, also one that
   looks up the address before. */
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
	/* Into the slot that the function returned by: this is the address that belongs there. */
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
	.long 0xc0000002, 4, 1, 0 /* indirect branches come to endbr64 alone */
#endif

#endif

	.section .note.GNU-stack, "", @progbits
