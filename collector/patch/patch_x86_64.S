/* What the stubs of patched functions call, jump and return to: see patch_hook.h. */
#include "collector/patch/patch_hook.h"

#if defined(FISQL_PATCHES) && defined(__x86_64__)
	.hidden	patch_sites
	.hidden	patch_entered
	.hidden	patch_returned
	.hidden	patch_returned_kept
	.hidden	patch_state_bytes
	.hidden	patch_state_mask

/* The return address lies in the mirror of the slot, at (CFA - 9) ^ PATCH_MIRROR; the stack pointer
 * of the caller is CFA - 1. The canonical frame address must differ from the callee's, which libgcc
 * compares, and may be neither the callee's nor the caller's: so 1 is added. */
.macro	mirrored
	/* DW_CFA_expression: register 16 (return address): const1u 9, minus, const8u, xor */
	.cfi_escape 0x10, 16, 13, 0x08, 9, 0x1c, 0x0e, 0x40, 0x08, 0, 0, 0, 0x20, 0, 0, 0x27
	/* DW_CFA_val_expression: register 7 (rsp): const1u 1, minus */
	.cfi_escape 0x16, 7, 3, 0x08, 1, 0x1c
.endm

/* So many have their unwind information together: unwinding reads it from its beginning. */
#define SITES_UNWOUND 16

	.text
	.p2align 6
	.globl	patch_sites
	.type	patch_sites, @function
patch_sites:
.macro	sites count, returned
	.rept	(\count) / SITES_UNWOUND
	.cfi_startproc
	mirrored
	.rept	SITES_UNWOUND
	.cfi_def_cfa_offset 9 /* a signal's handler may throw here, before the first instruction */
	leaq	8(%rsp), %rsp
	.cfi_def_cfa_offset 1
	call	*-32(%rsp)
	jmp	\returned
	.p2align 4
	.endr
	.cfi_endproc
	.endr
.endm
	sites	(PATCH_SITES-PATCH_SITES_KEPT), patch_returned
	sites	PATCH_SITES_KEPT, patch_returned_kept
	.size	patch_sites, . - patch_sites

/* Saves what a C function may change, rbp being its frame, and calls it. The registers that the
 * function's arguments are in must have been saved before. */
.macro	saved_call function
	pushq	%rcx
	pushq	%rdx
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	subq	patch_state_bytes(%rip), %rsp
	andq	$-64, %rsp
	movl	patch_state_mask(%rip), %eax
	xorl	%edx, %edx
	testl	%eax, %eax
	jz	1f
	movq	%rdx, 512(%rsp)
	movq	%rdx, 520(%rsp)
	movq	%rdx, 528(%rsp)
	movq	%rdx, 536(%rsp)
	movq	%rdx, 544(%rsp)
	movq	%rdx, 552(%rsp)
	movq	%rdx, 560(%rsp)
	movq	%rdx, 568(%rsp)
	xsave64	(%rsp)
	jmp	2f
1:	fxsave64 (%rsp)
2:	movq	%rsp, %rdx /* struct patch_kept */
	leaq	-48(%rbp), %rcx
	call	\function
	movl	patch_state_mask(%rip), %eax
	xorl	%edx, %edx
	testl	%eax, %eax
	jz	3f
	xrstor64 (%rsp)
	jmp	4f
3:	fxrstor64 (%rsp)
4:	leaq	-48(%rbp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdx
	popq	%rcx
.endm

	.p2align 6
	.globl	patch_entered
	.type	patch_entered, @function
patch_entered:
	.cfi_startproc
	.cfi_def_cfa_offset 16 /* the stub is no frame */
	leaq	-16(%rsp), %rsp
	.cfi_adjust_cfa_offset 16
	call	patch_enter
	leaq	16(%rsp), %rsp
	.cfi_adjust_cfa_offset -16
	ret
	.cfi_endproc
	.size	patch_entered, . - patch_entered

/* Where the stub jumps if patch_enter() gave up. */
	.p2align 4
	.globl	patch_enter_other
	.hidden	patch_enter_other
	.type	patch_enter_other, @function
patch_enter_other:
	.cfi_startproc
	leaq	-24(%rsp), %rsp
	.cfi_adjust_cfa_offset 24
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	48(%rbp), %rdi
	leaq	56(%rbp), %rsi
	saved_call patch_enter_slow
	popq	%rbp
	.cfi_def_cfa %rsp, 56
	.cfi_restore %rbp
	popq	%rax
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	leaq	24(%rsp), %rsp
	.cfi_adjust_cfa_offset -24
	jmp	*-16(%rsp)
	.cfi_endproc
	.size	patch_enter_other, . - patch_enter_other

	.p2align 6
	.globl	patch_returned
	.type	patch_returned, @function
patch_returned:
	.cfi_startproc
	.cfi_def_cfa_offset 1
	mirrored
	leaq	-8(%rsp), %rsp
	.cfi_adjust_cfa_offset 8
	call	patch_exit
	cmpq	$0, (%rsp)
	je	.Lexit_slowly
	ret
.Lexit_slowly:
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_escape 0x10, 6, 2, 0x76, 0 /* rbp is saved where it points */
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	leaq	32(%rbp), %rdi
	saved_call patch_exit_slow
	popq	%rbp
	.cfi_def_cfa %rsp, 33
	.cfi_restore %rbp
	popq	%rax
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	patch_returned, . - patch_returned
/* The same for a function whose result may be wanted. */
	.p2align 4
	.type	patch_returned_kept, @function
patch_returned_kept:
	.cfi_startproc
	.cfi_def_cfa_offset 1
	mirrored
	leaq	-8(%rsp), %rsp
	.cfi_adjust_cfa_offset 8
	jmp	.Lexit_slowly
	.cfi_endproc
	.size	patch_returned_kept, . - patch_returned_kept
#ifdef FISQL_WRAP
/* Says that the program holds the collector (FISQL_PATCH_NOTE in formats/patch.h). */
	.section .note.fisql, "a", @note
	.p2align 2
	.long	6, 0, 1
	.asciz	"fisql"
	.p2align 2
#endif
#endif
	.section .note.GNU-stack, "", @progbits
