/* What the stubs of patched functions call, jump and return to: see patch_hook.h. */
#include "collector/patch/patch_hook.h"
#include "collector/patch/patch_offsets.h"

#if defined(FISQL_PATCHES) && defined(__x86_64__)
	.hidden	patch_sites
	.hidden	patch_entered
	.hidden	patch_returned
	.hidden	patch_returned_kept
	.hidden	patch_returned_timed
	.hidden	patch_state_bytes
	.hidden	patch_state_mask
	.hidden	current_log
	.hidden	patch_stack
	.hidden	fork_mark
	.hidden	process
	.hidden	clock_epoch
#ifdef FISQL_LATE
	.hidden	attach_block_slot
#endif

/* The return address lies in the mirror of the slot, at (CFA - 9) ^ PATCH_MIRROR; the stack pointer
 * of the caller is CFA - 1. The canonical frame address must differ from the callee's, which libgcc
 * compares, and may be neither the callee's nor the caller's: so 1 is added. */
.macro	mirrored
	/* DW_CFA_expression: register 16 (return address): const1u 9, minus, const8u, xor */
	.cfi_escape 0x10, 16, 13, 0x08, 9, 0x1c, 0x0e, 0x40, 0x08, 0, 0, 0, 0x20, 0, 0, 0x27
	/* DW_CFA_val_expression: register 7 (rsp): const1u 1, minus */
	.cfi_escape 0x16, 7, 3, 0x08, 1, 0x1c
.endm

	.set	TIMED_IN_FRONT, PATCH_SITES_TIMED * PATCH_SITE_BYTES
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
	sites	PATCH_SITES_TIMED, patch_returned_timed
	sites	(PATCH_SITES_OWN-PATCH_SITES_KEPT), patch_returned
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


/* ---- the fast path ----
 *
 * What enter_below() and exit_fast() (core/hooks_fast.h) do in the usual case, with fewer
 * instructions: registers wait in the red zone, and where anything is unusual nothing has been done
 * yet, and patch_enter() and patch_exit() begin anew. The steps and their order are theirs. Signal
 * handlers see the log as these leave it: `busy` is set before the word is read, and one store of
 * the word commits the event. */
	.section .rodata.patch, "a", @progbits
	.p2align 3
.Lmixer: .quad	0x9e3779b97f4a7c15 /* pair_slot()'s */
.Lentered: .quad	(1 << PATCH_DEPTH_SHIFT) + (1 << PATCH_CALLS_SHIFT) + 2
.Lleft:	.quad	1 - (1 << PATCH_DEPTH_SHIFT)
.Lmirror: .quad	PATCH_MIRROR
	.text

/* Saves what a fast path uses, below `at` from the stack pointer: at most 128 bytes down. */
.macro	fast_save at
	movq	%rsi, -8-\at(%rsp)
	movq	%rax, -16-\at(%rsp)
	movq	%rdx, -24-\at(%rsp)
	movq	%rcx, -32-\at(%rsp)
	movq	%rdi, -40-\at(%rsp)
	movq	%r8, -48-\at(%rsp)
	movq	%r9, -56-\at(%rsp)
	movq	%r10, -64-\at(%rsp)
.endm
.macro	fast_restore at
	movq	-8-\at(%rsp), %rsi
	movq	-16-\at(%rsp), %rax
	movq	-24-\at(%rsp), %rdx
	movq	-32-\at(%rsp), %rcx
	movq	-40-\at(%rsp), %rdi
	movq	-48-\at(%rsp), %r8
	movq	-56-\at(%rsp), %r9
	movq	-64-\at(%rsp), %r10
.endm

/* rax = where a variable of the thread lies, from %fs. */
.macro	own_place variable
#ifdef FISQL_LATE
	movq	%fs:8, %rax
	addq	attach_block_slot(%rip), %rax
	movq	(%rax), %rax
	subq	%fs:0, %rax
	leaq	\variable@dtpoff(%rax), %rax
#else
	movq	\variable@gottpoff(%rip), %rax
#endif
.endm

/* rsi = the thread's log, if log_ready(). */
.macro	fast_log unusual
	own_place current_log
	movq	%fs:(%rax), %rsi
	testq	%rsi, %rsi
	jz	\unusual
	movl	PATCH_LOG_HIDDEN(%rsi), %eax
	orq	PATCH_LOG_BUSY(%rsi), %rax
	addq	$1, %rax
	cmpq	fork_mark(%rip), %rax
	jne	\unusual
.endm

/* rdx = clock_read(), rax is changed. Goes to `sampled` with --time sampled, before that. The system's
 * clock takes a call. */
.macro	fast_tick unusual, sampled
	cmpl	$0, process+PATCH_PROCESS_CLOCK(%rip)
	jne	5f
	rdtsc
	shlq	$32, %rdx
	orq	%rax, %rdx
6:
	.subsection 1
5:	cmpl	$PATCH_CLOCK_SAMPLED, process+PATCH_PROCESS_CLOCK(%rip)
	je	\sampled
	cmpl	$PATCH_CLOCK_OFF, process+PATCH_PROCESS_CLOCK(%rip)
	jne	\unusual
	movq	clock_epoch(%rip), %rdx
	jmp	6b
	.previous
.endm

/* rdx = pair_slot() of function r8 and site rcx, as an offset in the dictionary, where they must be; rax is
 * changed. */
.macro	fast_pair unusual
	movq	%rcx, %rdx
	shlq	$7, %rdx
	xorq	%r8, %rdx
	imulq	.Lmixer(%rip), %rdx
	shrq	$(64 - PATCH_PAIR_BITS - PATCH_PAIR_BYTES_LOG), %rdx
	andl	$(((1 << PATCH_PAIR_BITS) - 1) << PATCH_PAIR_BYTES_LOG), %edx
	movq	PATCH_LOG_DICTIONARY(%rsi), %rax
	cmpq	%r8, PATCH_PAIR_FUNCTION(%rax,%rdx)
	jne	\unusual
	cmpq	%rcx, PATCH_PAIR_SITE(%rax,%rdx)
	jne	\unusual
.endm

/* log_leave(): r9 = the word that was stored. */
.macro	fast_leave unusual
	cmpq	$0, PATCH_LOG_ABANDONED(%rsi)
	jne	8f
7:	movq	$0, PATCH_LOG_BUSY(%rsi)
	.subsection 1
8:	cmpq	%r9, PATCH_LOG_ABANDONED_WORD(%rsi)
	jne	\unusual
	movq	PATCH_LOG_BUSY(%rsi), %rax
	cmpq	%rax, PATCH_LOG_ABANDONED_HOOK(%rsi)
	jne	\unusual
	jmp	7b
	.previous
.endm

/* rax = the call's entry on the shadow stack, filled in but for the tick. */
.macro	enter_place
	movq	%r9, %rax
	shrq	$PATCH_DEPTH_SHIFT, %rax
	andl	$PATCH_DEPTH_MASK, %eax
	cmpl	PATCH_LOG_DEPTH_MAX(%rsi), %eax
	jae	.Lenter_undo
	shlq	$PATCH_CALL_BYTES_LOG, %rax
	addq	PATCH_LOG_CALLS(%rsi), %rax
	cmpq	PATCH_CALL_STACK-(1<<PATCH_CALL_BYTES_LOG)(%rax), %rdi
	jae	.Lenter_undo
	cmpq	PATCH_LOG_LANDING(%rsi), %rdi
	je	.Lenter_undo
	movq	%r8, PATCH_CALL_FUNCTION(%rax)
	movq	%rcx, PATCH_CALL_SITE(%rax)
	movq	%rdi, PATCH_CALL_STACK(%rax)
.endm

/* The event and the shadow stack's entry: rdx = the tick, rdi = the slot, rcx = the site, r8 = the function. */
.macro	enter_event
	movq	%rdi, PATCH_LOG_BUSY(%rsi)
	movq	PATCH_LOG_WORD(%rsi), %r9
	enter_place
	movq	%rdx, PATCH_CALL_TICK(%rax)
	movl	%r9d, %eax
	shrl	$PATCH_TOGGLE_SHIFT, %eax
	movq	%rdx, %r10
	subq	PATCH_LOG_LAST_TICK(%rsi,%rax,8), %r10
	xorl	$1, %eax
	movq	%rdx, PATCH_LOG_LAST_TICK(%rsi,%rax,8)
	movl	PATCH_LOG_ENTER_MAX(%rsi), %eax
	cmpq	%r10, %rax
	jb	.Lenter_undo
	fast_pair .Lenter_undo
	movzwl	%r9w, %eax
	cmpl	PATCH_LOG_UNITS_MAX(%rsi), %eax
	ja	.Lenter_undo
	shrl	$(PATCH_PAIR_BYTES_LOG - 1), %edx
	shll	$16, %r10d
	leal	(PATCH_CODE_ENTER << 1 | 1)(%r10,%rdx), %r10d
	movq	PATCH_LOG_CHUNK(%rsi), %rdx
	movl	%r10d, (%rdx,%rax,2)
	addq	.Lentered(%rip), %r9
	btcq	$PATCH_TOGGLE_SHIFT, %r9
#ifdef PATCH_LOG_ENTER_UNITS
	movl	$2, PATCH_LOG_ENTER_UNITS(%rsi)
#endif
	movq	%r9, PATCH_LOG_WORD(%rsi)
.endm

/* The log is left, and the stub goes on to its call site, or to one so many bytes in front of it. */
.macro	enter_go_on before
	fast_leave .Lenter_undo
	xorq	.Lmirror(%rip), %rdi
	movq	%rcx, (%rdi)
	movq	(%rsp), %rax
	leaq	PATCH_BACK_MOVED(%rax), %rdx
	movq	-PATCH_BACK_SITE(%rax), %rax
	.if	\before
	subq	$(\before), %rax
	.endif
	movq	%rdx, -16(%rsp)
	movq	%rax, -8(%rsp)
	fast_restore 16
	ret
.endm

	.p2align 6
	.globl	patch_entered
	.type	patch_entered, @function
patch_entered:
	.cfi_startproc
	.cfi_def_cfa_offset 16 /* the stub is no frame */
	fast_save 16 /* behind the words that the stub reads */
	fast_log .Lenter_unusual
	leaq	8(%rsp), %rdi /* the slot */
	own_place patch_stack
	movq	%rdi, %rdx
	subq	%fs:(%rax), %rdx
	cmpq	%fs:8(%rax), %rdx
	jae	.Lenter_unusual
	movq	8(%rsp), %rcx /* the call's site */
	leaq	patch_sites(%rip), %rax
	movq	%rcx, %rdx
	subq	%rax, %rdx
	cmpq	$(PATCH_SITES * PATCH_SITE_BYTES), %rdx
	jb	.Lenter_unusual
	movq	(%rsp), %r10
#if PATCH_SITES_KEPT > 0
	movq	-PATCH_BACK_SITE(%r10), %rdx
	subq	%rax, %rdx
	cmpq	$((PATCH_SITES - PATCH_SITES_KEPT) * PATCH_SITE_BYTES), %rdx
	jae	.Lenter_unusual
#endif
	movq	-PATCH_BACK_FUNCTION(%r10), %r8
	fast_tick .Lenter_unusual, .Lenter_sampled
	enter_event
.Lenter_committed:
	enter_go_on 0
/* enter_sampled() of a call without a time. */
	.p2align 4
.Lenter_sampled:
	movq	%rdi, PATCH_LOG_BUSY(%rsi)
	movq	PATCH_LOG_WORD(%rsi), %r9
	fast_pair .Lenter_undo
	movq	PATCH_LOG_TIMES(%rsi), %r10
	leaq	(%r10,%rdx,PATCH_TIME_PAIRS), %r10
	cmpl	$1, PATCH_TIME_LEFT(%r10)
	jbe	.Lenter_due
	enter_place
	movl	%r9d, %r8d
	shrl	$PATCH_TOGGLE_SHIFT, %r8d
	movq	PATCH_LOG_LAST_TICK(%rsi,%r8,8), %r8
	andq	$-2, %r8
	movq	%r8, PATCH_CALL_TICK(%rax)
	movzwl	%r9w, %eax
	cmpl	PATCH_LOG_UNITS_MAX(%rsi), %eax
	ja	.Lenter_undo
	decl	PATCH_TIME_LEFT(%r10)
	shrl	$(PATCH_PAIR_BYTES_LOG - 1), %edx
	addl	$(PATCH_CODE_ENTER << 1 | 1), %edx
	movq	PATCH_LOG_CHUNK(%rsi), %r10
	movl	%edx, (%r10,%rax,2)
	addq	.Lentered(%rip), %r9
#ifdef PATCH_LOG_ENTER_UNITS
	movl	$2, PATCH_LOG_ENTER_UNITS(%rsi)
#endif
	movq	%r9, PATCH_LOG_WORD(%rsi)
	jmp	.Lenter_committed
/* sampled_due() of a call that is to be timed, where nothing is to be computed. */
	.p2align 4
.Lenter_due:
	jb	.Lenter_undo
	testb	$15, PATCH_TIME_TIMED(%r10)
	jz	.Lenter_undo
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
	jnc	1f
	movl	$-1, PATCH_TIME_CALLS(%r10)
1:	rdtsc
	shlq	$32, %rdx
	orq	%rax, %rdx
	orq	$1, %rdx
	shrl	$PATCH_TOGGLE_SHIFT, %r9d
	movq	PATCH_LOG_LAST_TICK(%rsi,%r9,8), %rax
	movl	PATCH_LOG_ENTER_MAX(%rsi), %r9d
	addq	%rax, %r9
	cmpq	%rdx, %r9
	jb	2f
	enter_event
	enter_go_on TIMED_IN_FRONT
2:	movl	$1, PATCH_TIME_LEFT(%r10) /* the slow path is to time it */
	jmp	.Lenter_undo
	.p2align 4
.Lenter_undo:
	movq	$0, PATCH_LOG_BUSY(%rsi)
.Lenter_unusual:
	fast_restore 16
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

/* Up to the reading of the clock: rsi = the log, r9 = its word, rax = behind the call that ends, ecx = units. */
.macro	exit_begin
	.cfi_def_cfa_offset 1
	mirrored
	leaq	-8(%rsp), %rsp
	.cfi_adjust_cfa_offset 8
	fast_save 0
	fast_log .Lexit_unusual
	movq	%rsp, PATCH_LOG_BUSY(%rsi)
	movq	PATCH_LOG_WORD(%rsi), %r9
	movq	%r9, %rax
	shrq	$PATCH_DEPTH_SHIFT, %rax
	andl	$PATCH_DEPTH_MASK, %eax
	shlq	$PATCH_CALL_BYTES_LOG, %rax
	addq	PATCH_LOG_CALLS(%rsi), %rax
	cmpq	%rsp, PATCH_CALL_STACK-(1<<PATCH_CALL_BYTES_LOG)(%rax)
	jne	.Lexit_undo
	cmpq	$0, PATCH_LOG_MIN_TICKS(%rsi)
	jne	.Lexit_undo
	movzwl	%r9w, %ecx
	cmpl	PATCH_LOG_UNITS_MAX(%rsi), %ecx
	ja	.Lexit_undo
.endm

.macro	exit_event
	movl	%r9d, %eax
	shrl	$PATCH_TOGGLE_SHIFT, %eax
	movq	%rdx, %r8
	subq	PATCH_LOG_LAST_TICK(%rsi,%rax,8), %r8
	movl	PATCH_LOG_EXIT_MAX(%rsi), %edi
	cmpq	%r8, %rdi
	jb	.Lexit_undo
	addl	%r8d, %r8d
	movq	PATCH_LOG_CHUNK(%rsi), %rdi
	movw	%r8w, (%rdi,%rcx,2)
	xorl	$1, %eax
	movq	%rdx, PATCH_LOG_LAST_TICK(%rsi,%rax,8)
	addq	.Lleft(%rip), %r9
	btcq	$PATCH_TOGGLE_SHIFT, %r9
	movq	%r9, PATCH_LOG_WORD(%rsi)
.endm

.macro	exit_go_on
	fast_leave .Lexit_undo
	movq	%rsp, %rax
	xorq	.Lmirror(%rip), %rax
	movq	(%rax), %rax
	movq	%rax, (%rsp)
	fast_restore 0
	ret
.endm

	.p2align 6
	.globl	patch_returned
	.type	patch_returned, @function
patch_returned:
	.cfi_startproc
	exit_begin
	fast_tick .Lexit_undo, .Lexit_sampled
	exit_event
.Lexit_committed:
	exit_go_on
/* exit_sampled() of a call without a time. */
	.p2align 4
.Lexit_sampled:
	testb	$1, PATCH_CALL_TICK-(1<<PATCH_CALL_BYTES_LOG)(%rax)
	jnz	.Lexit_undo
	movq	PATCH_LOG_CHUNK(%rsi), %rdi
	movw	$0, (%rdi,%rcx,2)
	addq	.Lleft(%rip), %r9
	movq	%r9, PATCH_LOG_WORD(%rsi)
	jmp	.Lexit_committed
	.p2align 4
.Lexit_undo:
	movq	$0, PATCH_LOG_BUSY(%rsi)
.Lexit_unusual:
	fast_restore 0
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
/* The same for a call that is timed while others are not: sampled_took(), where its pair lies in its own slot. */
	.p2align 6
	.type	patch_returned_timed, @function
patch_returned_timed:
	.cfi_startproc
	exit_begin
	testb	$1, PATCH_CALL_TICK-(1<<PATCH_CALL_BYTES_LOG)(%rax)
	jz	.Lexit_undo /* a function that was jumped to, which has no time */
	leaq	-(1<<PATCH_CALL_BYTES_LOG)(%rax), %r8
	rdtsc
	shlq	$32, %rdx
	orq	%rax, %rdx
	orq	$1, %rdx
	movq	PATCH_CALL_FUNCTION(%r8), %rdi
	movq	PATCH_CALL_SITE(%r8), %rax
	shlq	$7, %rax
	xorq	%rdi, %rax
	imulq	.Lmixer(%rip), %rax
	shrq	$(64 - PATCH_PAIR_BITS - PATCH_PAIR_BYTES_LOG), %rax
	andl	$(((1 << PATCH_PAIR_BITS) - 1) << PATCH_PAIR_BYTES_LOG), %eax
	movq	PATCH_LOG_DICTIONARY(%rsi), %r10
	cmpq	%rdi, PATCH_PAIR_FUNCTION(%r10,%rax)
	jne	.Lexit_undo
	movq	PATCH_LOG_TIMES(%rsi), %r10
	leaq	(%r10,%rax,PATCH_TIME_PAIRS), %r10
	movq	%rdx, %rdi
	subq	PATCH_CALL_TICK(%r8), %rdi
	movl	PATCH_TIME_CAP(%r10), %eax
	cmpq	%rax, %rdi
	cmovaq	%rax, %rdi
	addl	%edi, PATCH_TIME_SUM(%r10)
	imulq	%rdi, %rdi
	addq	%rdi, PATCH_TIME_SQUARES(%r10)
	incw	PATCH_TIME_TIMED(%r10)
	exit_event
	exit_go_on
	.cfi_endproc
	.size	patch_returned_timed, . - patch_returned_timed
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
