/* What the stubs of patched functions jump and return to, on aarch64: see patch_hook.h. */
#include "collector/patch/patch_hook.h"

#if defined(FISQL_PATCHES) && defined(__aarch64__)
#define GENERAL 176 /* bytes: x0 to x18, x30 */
#define LINK 152    /* where x30 is saved */
#define VECTOR 512
#define MOVED 12 /* where the stub goes on in the function */

	.hidden	patch_sites
	.hidden	patch_entered
	.hidden	patch_returned
	.hidden	patch_enter
	.hidden	patch_exit
	.hidden	patch_enter_slow
	.hidden	patch_exit_slow

/* The return address lies in the mirror of the slot, at (CFA - 9) ^ PATCH_MIRROR; the stack pointer
 * of the caller is CFA - 1: as in patch_x86_64.S. */
.macro	mirrored
	/* DW_CFA_expression: register 30: const1u 9, minus, const8u, xor */
	.cfi_escape 0x10, 30, 13, 0x08, 9, 0x1c, 0x0e, 0x40, 0x08, 0, 0, 0, 0x20, 0, 0, 0x27
	/* DW_CFA_val_expression: register 31 (sp): const1u 1, minus */
	.cfi_escape 0x16, 31, 3, 0x08, 1, 0x1c
.endm

#define SITES_UNWOUND 16

	.text
	.p2align 6
	.globl	patch_sites
	.type	patch_sites, %function
patch_sites:
	.rept	PATCH_SITES / SITES_UNWOUND
	.cfi_startproc
	.cfi_def_cfa_offset 1
	mirrored
	.rept	SITES_UNWOUND
	blr	x17
	b	patch_returned
	.endr
	.cfi_endproc
	.endr
	.size	patch_sites, . - patch_sites

/* What a C function may change, but x16, x17 and the vector registers. */
.macro	general_save
	sub	sp, sp, GENERAL
	.cfi_adjust_cfa_offset GENERAL
	stp	x0, x1, [sp, 0]
	stp	x2, x3, [sp, 16]
	stp	x4, x5, [sp, 32]
	stp	x6, x7, [sp, 48]
	stp	x8, x9, [sp, 64]
	stp	x10, x11, [sp, 80]
	stp	x12, x13, [sp, 96]
	stp	x14, x15, [sp, 112]
	str	x17, [sp, 128]
	stp	x18, x30, [sp, 144]
.endm

.macro	general_restore
	ldp	x0, x1, [sp, 0]
	ldp	x2, x3, [sp, 16]
	ldp	x4, x5, [sp, 32]
	ldp	x6, x7, [sp, 48]
	ldp	x8, x9, [sp, 64]
	ldp	x10, x11, [sp, 80]
	ldp	x12, x13, [sp, 96]
	ldp	x14, x15, [sp, 112]
	ldp	x18, x30, [sp, 144]
	add	sp, sp, GENERAL
	.cfi_adjust_cfa_offset -GENERAL
.endm

.macro	vector_save
	sub	sp, sp, VECTOR
	.cfi_adjust_cfa_offset VECTOR
	.irp	pair, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	vector_pair stp, \pair
	.endr
.endm

.macro	vector_restore
	.irp	pair, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	vector_pair ldp, \pair
	.endr
	add	sp, sp, VECTOR
	.cfi_adjust_cfa_offset -VECTOR
.endm

.macro	vector_pair how, number
	.altmacro
	vector_two \how, \number, %(\number + 1)
	.noaltmacro
.endm

.macro	vector_two how, first, second
	\how	q\first, q\second, [sp, \first * 16]
.endm

/* The stub has jumped here: x17 is its address. */
	.p2align 6
	.globl	patch_entered
	.type	patch_entered, %function
patch_entered:
	.cfi_startproc
	hint	38 /* bti jc */
	general_save
	.cfi_offset 30, LINK - GENERAL
	ldr	x0, [x17, -16]
	mov	x1, x30
	add	x2, sp, GENERAL - 8
	bl	patch_enter
	cmp	x0, 1
	b.hi	2f
1:	ldr	x17, [sp, 128]
	adrp	x16, patch_sites
	add	x16, x16, :lo12:patch_sites
	ubfx	x9, x17, 4, 10 /* one of the PATCH_SITES */
	add	x16, x16, x9, lsl 3
	add	x17, x17, MOVED
	cmp	x0, 1
	general_restore
	.cfi_restore 30
	b.eq	3f
	br	x17
3:	br	x16
2:	.cfi_adjust_cfa_offset GENERAL
	.cfi_offset 30, LINK - GENERAL
	vector_save
	ldr	x17, [sp, VECTOR + 128]
	ldr	x0, [x17, -16]
	ldr	x1, [sp, VECTOR + LINK]
	add	x2, sp, VECTOR + GENERAL - 8
	bl	patch_enter_slow
	vector_restore
	b	1b
	.cfi_endproc
	.size	patch_entered, . - patch_entered

	.p2align 6
	.globl	patch_returned
	.type	patch_returned, %function
patch_returned:
	.cfi_startproc
	.cfi_def_cfa_offset 1
	mirrored
	general_save
	add	x0, sp, GENERAL - 8
	bl	patch_exit
	cbz	x0, 5f
4:	str	x0, [sp, LINK]
	general_restore
	ret
5:	.cfi_adjust_cfa_offset GENERAL
	vector_save
	add	x0, sp, VECTOR + GENERAL - 8
	bl	patch_exit_slow
	vector_restore
	b	4b
	.cfi_endproc
	.size	patch_returned, . - patch_returned
#endif
	.section .note.GNU-stack, "", %progbits
