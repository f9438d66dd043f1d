/* Where patch_x86_64.S finds what the hooks' fast path reads and writes; patch_fast.c asserts it. */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_OFFSETS_H
#define FISQL_COLLECTOR_PATCH_PATCH_OFFSETS_H

/* struct thread_log */
#define PATCH_LOG_WORD 16
#define PATCH_LOG_LAST_TICK 24 /* two */
#define PATCH_LOG_BUSY 888
#define PATCH_LOG_ABANDONED 896
#define PATCH_LOG_CHUNK 904
#define PATCH_LOG_DICTIONARY 912
#define PATCH_LOG_CALLS 920
#define PATCH_LOG_LANDING 928
#define PATCH_LOG_DEPTH_MAX 936
#define PATCH_LOG_HIDDEN 944
#define PATCH_LOG_UNITS_MAX 1000
#define PATCH_LOG_ENTER_MAX 1008
#define PATCH_LOG_EXIT_MAX 1012
#define PATCH_LOG_MIN_TICKS 1016
#define PATCH_LOG_ABANDONED_WORD 1072
#define PATCH_LOG_ABANDONED_HOOK 1080

#ifdef FISQL_VALUES
#define PATCH_LOG_ENTER_UNITS 1208
#endif

/* struct shadow_call */
#define PATCH_CALL_BYTES_LOG 5
#define PATCH_CALL_FUNCTION 0
#define PATCH_CALL_SITE 8
#define PATCH_CALL_STACK 16
#define PATCH_CALL_TICK 24

/* struct pair */
#define PATCH_PAIR_BYTES_LOG 4
#define PATCH_PAIR_FUNCTION 0
#define PATCH_PAIR_SITE 8
#define PATCH_PAIR_BITS 11 /* of a slot's number */

#define PATCH_PROCESS_CLOCK 0
#define PATCH_CODE_ENTER 0
#define PATCH_DEPTH_SHIFT 32
#define PATCH_DEPTH_MASK 0x7fffff
#define PATCH_CALLS_SHIFT 16
#define PATCH_TOGGLE_SHIFT 31

#endif
