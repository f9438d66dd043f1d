/*
 * Functions of libstdc++ that exist nowhere but inlined, for programs that clang++ instruments.
 *
 * clang's -finstrument-functions puts hooks into an inlined function too, and they name it by its
 * address. Members that are always_inline in a template which libstdc++.so instantiates ("extern
 * template") have none: with GCC 12's headers std::string (C++17) and std::allocator<char> (C++20)
 * then leave a program that cannot be linked. `fisql cc` gives the linker this archive. A
 * definition is weak and taken only where it is missing; it does what the function does, for who
 * takes its address on purpose. This file is no part of libfisql.so or libfisql.a.
 */
#include <stddef.h>
#include <stdint.h>

#define NAMED(symbol) __asm__(symbol) __attribute__((weak))
#define STRING(letter) "_ZNSt7__cxx1112basic_stringI" letter "St11char_traitsI" letter "ESaI" letter
#define USE_LOCAL_DATA "EE17_M_use_local_dataEv"

void *operator_new(size_t size) __asm__("_Znwm");
void operator_delete(void *block) __asm__("_ZdlPv");

void *use_local_data_char(char *string) NAMED(STRING("c") USE_LOCAL_DATA);
void *use_local_data_wide(char *string) NAMED(STRING("w") USE_LOCAL_DATA);
void *allocate_char(void *allocator, size_t count) NAMED("_ZNSaIcE8allocateEm");
void *allocate_wide(void *allocator, size_t count) NAMED("_ZNSaIwE8allocateEm");
void deallocate_char(void *allocator, void *block, size_t count) NAMED("_ZNSaIcE10deallocateEPcm");
void deallocate_wide(void *allocator, void *block, size_t count) NAMED("_ZNSaIwE10deallocateEPwm");

/* A string's local buffer lies behind its pointer and its length. */
void *use_local_data_char(char *string)
{
    return string + sizeof(char *) + sizeof(size_t);
}

void *use_local_data_wide(char *string)
{
    return string + sizeof(char *) + sizeof(size_t);
}

void *allocate_char(void *allocator, size_t count)
{
    (void)allocator;
    return operator_new(count);
}

void *allocate_wide(void *allocator, size_t count)
{
    (void)allocator;
    return operator_new(count > SIZE_MAX / sizeof(wchar_t) ? SIZE_MAX : count * sizeof(wchar_t));
}

void deallocate_char(void *allocator, void *block, size_t count)
{
    (void)allocator, (void)count;
    operator_delete(block);
}

void deallocate_wide(void *allocator, void *block, size_t count)
{
    (void)allocator, (void)count;
    operator_delete(block);
}
