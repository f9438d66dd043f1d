/*
 * The hooks of libfisql-values.so on aarch64, the trampoline to which functions with an awaited
 * result return, and the function in front of _Unwind_Resume(): as in values_x86_64.S.
 */
#if defined(__aarch64__) && defined(FISQL_VALUES)

#define FRAME 400   /* sizeof(struct values_frame) */
#define KEPT 128    /* offsets in it */
#define GENERAL 136
#define HOOK_RETURN 392
#define PLACES 65536 /* RECIPE_PLACES */

	.text

/* As on x86-64. x16 and x17 are free: whatever jumps to a library may change them. */
	.macro hook name, go_on, plain
	.globl \name
	.type \name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint 34 /* bti c */
	and x16, x30, (PLACES - 1) * 8 /* its place: 16 bytes for each 8 of code */
	adrp x17, recipe_cache
	ldr x17, [x17, :lo12:recipe_cache]
	cbz x17, 1f
	add x17, x17, x16, lsl 1
	ldr x16, [x17]
	cmp x16, x30
	b.ne 1f
	ldr x16, [x17, 8]
	cbz x16, 2f
0:	sub sp, sp, FRAME
	.cfi_adjust_cfa_offset FRAME
	stp x2, x3, [sp, GENERAL + 16]
	stp x4, x5, [sp, GENERAL + 32]
	stp x6, x7, [sp, GENERAL + 48]
	stp x8, x9, [sp, GENERAL + 64]
	stp x10, x11, [sp, GENERAL + 80]
	stp x12, x13, [sp, GENERAL + 96]
	stp x14, x15, [sp, GENERAL + 112]
	stp x18, x19, [sp, GENERAL + 144]
	stp x20, x21, [sp, GENERAL + 160]
	stp x22, x23, [sp, GENERAL + 176]
	stp x24, x25, [sp, GENERAL + 192]
	stp x26, x27, [sp, GENERAL + 208]
	stp x28, x29, [sp, GENERAL + 224]
	str x30, [sp, GENERAL + 240]
	str x30, [sp, HOOK_RETURN]
	.cfi_offset 30, HOOK_RETURN - FRAME
	add x2, sp, FRAME
	str x2, [sp, GENERAL + 248]
	str xzr, [sp, KEPT]
	mov x3, x16
	bl \go_on
	ldr x30, [sp, HOOK_RETURN]
	.cfi_restore 30
	add sp, sp, FRAME
	.cfi_adjust_cfa_offset -FRAME
	ret
1:	mov x16, xzr /* not known yet */
	b 0b
2:	mov x2, sp
	mov x3, x30
	b \plain
	.cfi_endproc
	.size \name, . - \name
	.endm

#if defined(FISQL_FAULTS)
	hook __cyg_profile_func_enter, faults_enter, values_enter_plain
#else
	hook __cyg_profile_func_enter, values_enter, values_enter_plain
#endif
	hook __cyg_profile_func_exit, values_exit, values_exit_plain

#define RETURNED 80 /* sizeof(struct values_returned) */
#define RETURNED_GENERAL 64
#define KEEP (RETURNED + 64)

/* A function returned here: its result is in x0, x1, v0 to v3. Backtraces end here, also those that
 * look up the address before. */
	.globl values_trampoline
	.hidden values_trampoline
	.type values_trampoline, %function
	.p2align 4
	.cfi_startproc
	.cfi_undefined 30
	nop
values_trampoline:
	sub sp, sp, KEEP
	.cfi_adjust_cfa_offset KEEP
	stp q0, q1, [sp]
	stp q2, q3, [sp, 32]
	stp x0, x1, [sp, RETURNED_GENERAL]
	stp x2, x3, [sp, RETURNED]
	stp x4, x5, [sp, RETURNED + 16]
	stp x6, x7, [sp, RETURNED + 32]
	stp x8, x9, [sp, RETURNED + 48]
	add x0, sp, KEEP
	mov x1, sp
	bl values_returned
	mov x16, x0
	ldp x0, x1, [sp, RETURNED_GENERAL]
	ldp x2, x3, [sp, RETURNED]
	ldp x4, x5, [sp, RETURNED + 16]
	ldp x6, x7, [sp, RETURNED + 32]
	ldp x8, x9, [sp, RETURNED + 48]
	add sp, sp, KEEP
	.cfi_adjust_cfa_offset -KEEP
	/* By ret, which may go anywhere even if branches are checked (BTI); and it is the caller's own
	 * return that is predicted next. */
	bl 1f
1:	mov x30, x16
	ret
	.cfi_endproc
	.size values_trampoline, . - values_trampoline

	.globl _Unwind_Resume
	.type _Unwind_Resume, %function
	.p2align 4
_Unwind_Resume:
	.cfi_startproc
	hint 34
	stp x0, x30, [sp, -16]!
	.cfi_adjust_cfa_offset 16
	.cfi_offset 30, -8
	add x0, sp, 16
	bl values_unwinding
	mov x16, x0
	ldp x0, x30, [sp], 16
	.cfi_restore 30
	.cfi_adjust_cfa_offset -16
	br x16
	.cfi_endproc
	.size _Unwind_Resume, . - _Unwind_Resume

#if defined(__ARM_FEATURE_BTI_DEFAULT)
	.section .note.gnu.property, "a"
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000000, 4, 1, 0 /* indirect branches land only on bti */
#endif

#endif

	.section .note.GNU-stack, "", %progbits
