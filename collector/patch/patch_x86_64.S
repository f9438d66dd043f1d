/* What the stubs of patched functions call, jump and return to: see patch_hook.h. */
#include "collector/patch/patch_x86_64.inc"

#if defined(FISQL_PATCHES) && defined(__x86_64__)
/* So many have their unwind information together: unwinding reads it from its beginning. */
#define SITES_UNWOUND 16

#ifdef FISQL_LATE
/* What the compiler calls for where a thread's variable lies; rdi = its block's number, and its offset
 * there. With musl alone, whose table of blocks is at %fs:8 (src/internal/pthread_impl.h); the dynamic
 * linker's function of this name would ask for glibc's to be there. Keeps all registers but rax: in
 * functions that keep all of them, gcc takes this for granted. */
	.text
	.globl	__tls_get_addr
	.hidden	__tls_get_addr
	.type	__tls_get_addr, @function
__tls_get_addr:
	.cfi_startproc
	movq	%fs:8, %rax
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	movq	(%rdi), %rdx
	movq	(%rax,%rdx,8), %rax
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	addq	8(%rdi), %rax
	ret
	.cfi_endproc
	.size	__tls_get_addr, . - __tls_get_addr
#endif

	.text
	.p2align 6
	.globl	patch_sites
	.type	patch_sites, @function
patch_sites:
.macro	sites count, returned:vararg
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
	sites	PATCH_SITES_TIMED, patch_returned_timed
	sites	(PATCH_SITES_OWN-PATCH_SITES_KEPT), *patch_returned_by_clock(%rip)
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


/* ---- all calls timed ---- */

	.section .rodata.patch, "a", @progbits
	.p2align 3
.Lmixer: .quad 0x9e3779b97f4a7c15 /* pair_slot()'s */
.Lmirror: .quad PATCH_MIRROR
	.data
	.p2align 3
	.globl	patch_returned_by_clock /* patch_choose_hooks() sets it */
patch_returned_by_clock: .quad patch_returned
	.text

	begin	patch_entered
	.cfi_def_cfa_offset 16 /* the stub is no frame */
	fast_save_tick 16
	enter_begin .Lenter_unusual, .Lenter_undo, 0, 1
	enter_place .Lenter_undo
	movq	%rax, %r8
	movl	%edx, %ecx
	movq	%r9, %rdx
	fast_restore_tick 16
	enter_commit .Lenter_undo
	enter_go_on .Lenter_undo
	.p2align 4
.Lenter_undo:
	movq	$0, PATCH_LOG_BUSY(%rsi)
.Lenter_unusual:
	fast_restore 16
	fast_restore_more 16
	fast_restore_tick 16
/* Where nothing is usual from the outset. */
	.globl	patch_enter_again
patch_enter_again:
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

	begin	patch_returned
	exit_begin .Lexit_unusual, .Lexit_undo, 1, 1
	exit_commit .Lexit_undo
	exit_go_on .Lexit_undo, 1
	.p2align 4
.Lexit_undo:
	movq	$0, PATCH_LOG_BUSY(%rsi)
.Lexit_unusual:
	fast_restore 0
	fast_restore_more 0
.Lexit_again: /* the slot is on the stack */
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
/* The same where nothing is usual from the outset. */
	.p2align 4
	.globl	patch_returned_slowly
	.hidden	patch_returned_slowly
	.type	patch_returned_slowly, @function
patch_returned_slowly:
	.cfi_startproc
	.cfi_def_cfa_offset 1
	mirrored
	leaq	-8(%rsp), %rsp
	.cfi_adjust_cfa_offset 8
	jmp	.Lexit_again
	.cfi_endproc
	.size	patch_returned_slowly, . - patch_returned_slowly
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

/* ---- not all calls timed: see core/sampled.h ---- */

/* Entries without a time: enter_untimed(). sampled: some calls have one. Else the tick is clock_epoch, which
 * events of other kinds count up. leaf: the function is soon over and calls nothing, so the call is written as
 * one event, returns to its caller by itself, and is not on the shadow stack. */
.macro	entered name, sampled, leaf
	begin	\name
	.cfi_def_cfa_offset 16
	enter_begin .L\name\()_unusual, .L\name\()_undo, \leaf
	.if	\sampled
	movq	PATCH_LOG_TIMES(%rsi), %rax
	subl	$1, PATCH_TIME_LEFT(%rax,%rdx,PATCH_TIME_PAIRS)
	jbe	.L\name\()_due
	.endif
	.if	\leaf
	enter_find_place .L\name\()_undo, 0
	.else
	enter_place .L\name\()_undo
	.endif
	.if	!(\leaf && \sampled)
	.if	\sampled
	movl	PATCH_LOG_WORD(%rsi), %ecx
	shrl	$PATCH_TOGGLE_SHIFT, %ecx
	movq	PATCH_LOG_LAST_TICK(%rsi,%rcx,8), %rcx
	andq	$-2, %rcx
	.else
	movq	clock_epoch(%rip), %rcx
	cmpq	%rcx, PATCH_LOG_LAST_TICK(%rsi) /* neither is later than the clock */
	jne	.L\name\()_later
	.endif
	.ifeq	\leaf
	movq	%rcx, PATCH_CALL_TICK(%rax)
	.endif
	.endif
	movzwl	PATCH_LOG_WORD(%rsi), %eax
	cmpl	PATCH_LOG_UNITS_MAX(%rsi), %eax
	ja	.L\name\()_undo
	shrl	$(PATCH_PAIR_BYTES_LOG - 1), %edx
	movq	PATCH_LOG_CHUNK(%rsi), %rcx
	.if	\leaf
	addl	$(PATCH_CODE_LEAF << 1 | 1), %edx
	movl	%edx, (%rcx,%rax,2)
	addq	$((1 << PATCH_CALLS_SHIFT) + 2), PATCH_LOG_WORD(%rsi)
	fast_leave .L\name\()_undo
	movq	(%rsp), %rax
	leaq	PATCH_BACK_MOVED(%rax), %rax
	movq	%rax, -8(%rsp)
	fast_restore 16
	fast_restore_more 16
	ret
	.else
	addl	$(PATCH_CODE_ENTER << 1 | 1), %edx
	movl	%edx, (%rcx,%rax,2)
	movabsq	$((1 << PATCH_DEPTH_SHIFT) + (1 << PATCH_CALLS_SHIFT) + 2), %rax
	entered_units
	addq	%rax, PATCH_LOG_WORD(%rsi)
	enter_go_on .L\name\()_undo
	.endif
	.ifeq	\sampled
	.p2align 4
.L\name\()_later:
	.if	\leaf
	jmp	.L\name\()_undo
	.else
	movl	%edx, %ecx
	movq	%rax, %r8
	movq	clock_epoch(%rip), %rdx
	enter_commit .L\name\()_undo
	enter_go_on .L\name\()_undo
	.endif
	.else
/* sampled_due() of a call that is to be timed, where nothing is to be computed. */
	.p2align 4
.L\name\()_due:
	jb	1f
	fast_save_timed 16
	leaq	(%rax,%rdx,PATCH_TIME_PAIRS), %r10
	movl	%edx, %r9d
	testb	$15, PATCH_TIME_TIMED(%r10)
	jz	.L\name\()_due_undo
	.if	\leaf
	enter_stack .L\name\()_due_undo
	.endif
	imull	$1664525, PATCH_LOG_RANDOM(%rsi), %eax
	addl	$1013904223, %eax
	movl	%eax, PATCH_LOG_RANDOM(%rsi)
	movl	PATCH_TIME_GAP(%r10), %edx
	leal	-1(,%rdx,2), %edx
	imulq	%rdx, %rax
	shrq	$32, %rax
	incl	%eax
	movl	%eax, PATCH_TIME_LEFT(%r10)
	addl	%eax, PATCH_TIME_CALLS(%r10)
	jnc	2f
	movl	$-1, PATCH_TIME_CALLS(%r10)
2:	enter_place .L\name\()_due_undo
	movq	%rax, %r8
	movl	%r9d, %ecx
	fast_tick
	orq	$1, %rdx
	enter_commit .L\name\()_due_undo
	fast_restore_timed 16
	enter_go_on .L\name\()_undo, TIMED_IN_FRONT
.L\name\()_due_undo:
	movl	$1, PATCH_TIME_LEFT(%r10) /* patch_enter() is to time it */
	fast_restore_timed 16
	jmp	.L\name\()_undo
1:	movl	$1, PATCH_TIME_LEFT(%rax,%rdx,PATCH_TIME_PAIRS)
	.endif
	.p2align 4
.L\name\()_undo:
	movq	$0, PATCH_LOG_BUSY(%rsi)
.L\name\()_unusual:
	fast_restore 16
	fast_restore_more 16
	jmp	patch_enter_again
	.cfi_endproc
	.size	\name, . - \name
.endm

/* Exits without a time: exit_untimed(). */
.macro	returned name, sampled
	begin	\name
	exit_begin .L\name\()_unusual, .L\name\()_undo, 0
	.if	\sampled
	testb	$1, PATCH_CALL_TICK-(1<<PATCH_CALL_BYTES_LOG)(%rax)
	jnz	.L\name\()_undo
	.else
	movq	clock_epoch(%rip), %rax
	cmpq	%rax, PATCH_LOG_LAST_TICK(%rsi) /* neither is later than the clock */
	jne	.L\name\()_later
	.endif
	movq	PATCH_LOG_CHUNK(%rsi), %rax
	movw	$0, (%rax,%rcx,2)
	movabsq	$(1 - (1 << PATCH_DEPTH_SHIFT)), %rax
	addq	%rax, PATCH_LOG_WORD(%rsi)
	exit_go_on .L\name\()_undo, 0
	.p2align 4
	.ifeq	\sampled
.L\name\()_later:
	fast_save_more 0
	movq	clock_epoch(%rip), %rdx
	exit_commit .L\name\()_later_undo
	exit_go_on .L\name\()_later_undo, 1
.L\name\()_later_undo:
	fast_restore_more 0
	.endif
.L\name\()_undo:
	movq	$0, PATCH_LOG_BUSY(%rsi)
.L\name\()_unusual:
	fast_restore 0
	jmp	.Lexit_again
	.cfi_endproc
	.size	\name, . - \name
.endm

	entered	patch_entered_untimed, 0, 0
	returned patch_returned_untimed, 0
	entered	patch_entered_sampled, 1, 0
	returned patch_returned_sampled, 1
#if PATCH_SITES_KEPT == 0
	entered	patch_entered_untimed_leaf, 0, 1
	entered	patch_entered_sampled_leaf, 1, 1
#endif

/* Exits of calls that are timed while others are not: sampled_took(). */
	begin	patch_returned_timed
	exit_begin .Lreturned_unusual, .Lreturned_undo, 1
	fast_save_timed 0
	movq	%rdi, -64(%rsp)
	testb	$1, PATCH_CALL_TICK-(1<<PATCH_CALL_BYTES_LOG)(%rax)
	jz	.Lreturned_timed_undo /* a function that was jumped to, which has no time */
	leaq	-(1<<PATCH_CALL_BYTES_LOG)(%rax), %r8
	fast_tick
	orq	$1, %rdx
	movq	PATCH_CALL_FUNCTION(%r8), %rdi
	movq	PATCH_CALL_SITE(%r8), %r9
	movq	%r9, %rax
	fast_pair %r9, %r9d, %rdi
	movq	PATCH_LOG_DICTIONARY(%rsi), %r10
	fast_find %r9, %r9d, %r10, %rdi, %rax, .Lreturned_timed_undo
	movq	PATCH_LOG_TIMES(%rsi), %r10
	leaq	(%r10,%r9,PATCH_TIME_PAIRS), %r10
	movq	%rdx, %r9
	subq	PATCH_CALL_TICK(%r8), %r9
	movl	PATCH_TIME_CAP(%r10), %eax
	cmpq	%rax, %r9
	cmovaq	%rax, %r9
	addl	%r9d, PATCH_TIME_SUM(%r10)
	imulq	%r9, %r9
	addq	%r9, PATCH_TIME_SQUARES(%r10)
	incw	PATCH_TIME_TIMED(%r10)
	exit_commit .Lreturned_timed_undo
	fast_restore_timed 0
	movq	-64(%rsp), %rdi
	exit_go_on .Lreturned_undo, 1
	.p2align 4
.Lreturned_timed_undo:
	fast_restore_timed 0
	movq	-64(%rsp), %rdi
.Lreturned_undo:
	movq	$0, PATCH_LOG_BUSY(%rsi)
.Lreturned_unusual:
	fast_restore 0
	fast_restore_more 0
	jmp	.Lexit_again
	.cfi_endproc
	.size	patch_returned_timed, . - patch_returned_timed
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
