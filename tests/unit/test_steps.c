/*
 * Values that DWARF expressions compute: bytes of an expression become steps (dwarf_steps.h), and the
 * collector's own code takes these with made-up registers and memory.
 */
#include "collector/values/values_expression.h"
#include "debuginfo/dwarf/dwarf_places.h"
#include "tests/unit/check.h"

#include <elf.h>

#define RCX 2
#define RBX 3
#define RSI 4
#define RBP 6
#define B(number) (DW_OP_breg0 + (number))

static uint64_t memory[4] = {0x1122334455667788, 0xfffffffffffffff0, 7, 0};
static uint64_t registers[32];

/* ---- what the collector's code stands on ---- */

enum found capture_word(const struct capture *capture, const struct fisql_recipe_value *value,
                        uint64_t *word)
{
    *word = value->where == FISQL_WHERE_CONSTANT ? value->constant
                                                 : capture_sum(capture->general, value);
    return value->where == FISQL_WHERE_CONSTANT || value->where == FISQL_WHERE_SUM ? FOUND
                                                                                   : FOUND_ABSENT;
}

size_t read_memory(const struct read_stack *stack, uint64_t address, void *into, size_t size)
{
    (void)stack;
    if (address - (uint64_t)(uintptr_t)memory >= sizeof memory)
        return 0;
    memcpy(into, (const void *)(uintptr_t)address, size);
    return size;
}

/* ---- expressions ---- */

static const struct dwarf_unit_context unit = {.version = 5};

static enum place_reason find(const unsigned char *code, size_t bytes, unsigned size,
                              struct places *places)
{
    const struct place_context context = {.unit = &unit,
                                          .machine = EM_X86_64,
                                          .address = 0x1000,
                                          .after = 0x1004,
                                          .size_bytes = size};
    const struct dwarf_value value = {DWARF_VALUE_BLOCK, 0, code, bytes};
    return place_find(&context, &value, places);
}

static void expect(const char *what, enum found wanted, uint64_t number, const unsigned char *code,
                   size_t bytes)
{
    struct places places;
    unsigned char result[FISQL_RECIPE_BYTES_MAX] = {0};
    uint64_t word;
    if (!check(find(code, bytes, 8, &places) == PLACE_FOUND && places.whole.kind == PLACE_COMPUTED,
               "%s: it is computed", what))
        return;
    const struct recipe_module module = {.values = places.steps};
    const struct capture capture = {.general = registers, .module = &module};
    const struct fisql_recipe_value value = {.where = FISQL_WHERE_EXPRESSION,
                                             .base = (uint8_t)places.whole.steps_count,
                                             .constant = places.whole.first_step};
    enum found found = expression_word(&capture, &value, result);
    memcpy(&word, result, sizeof word);
    check(found == wanted && (found != FOUND || word == number), "%s: %d, %llx", what, (int)found,
          (unsigned long long)word);
}

#define EXPECT(what, number, ...)                                                                  \
    do {                                                                                           \
        const unsigned char code[] = {__VA_ARGS__, DW_OP_stack_value};                             \
        expect(what, FOUND, (uint64_t)(number), code, sizeof code);                                \
    } while (0)

static void expect_reason(const char *what, enum place_reason reason, const unsigned char *code,
                          size_t bytes, unsigned size)
{
    struct places places;
    check_equal((long long)reason, (long long)find(code, bytes, size, &places), what);
}

#define REFUSED(what, reason, size, ...)                                                           \
    do {                                                                                           \
        const unsigned char code[] = {__VA_ARGS__};                                                \
        expect_reason(what, reason, code, sizeof code, size);                                      \
    } while (0)

static void check_arithmetic(void)
{
    registers[RBX] = 100;
    registers[RBP] = (uint64_t)-7;
    EXPECT("sum", 93, B(RBX), 0, B(RBP), 0, DW_OP_plus);
    EXPECT("sum with offsets", 96, B(RBX), 2, B(RBP), 1, DW_OP_plus);
    EXPECT("difference", 107, B(RBX), 0, B(RBP), 0, DW_OP_minus);
    EXPECT("product", -700, B(RBX), 0, B(RBP), 0, DW_OP_mul);
    EXPECT("quotient, signed", -14, B(RBX), 0, B(RBP), 0, DW_OP_div);
    EXPECT("remainder, unsigned", 100, B(RBX), 0, B(RBP), 0, DW_OP_mod);
    EXPECT("and", 100 & -7, B(RBX), 0, B(RBP), 0, DW_OP_and);
    EXPECT("or", 100 | -7, B(RBX), 0, B(RBP), 0, DW_OP_or);
    EXPECT("exclusive or", 100 ^ -7, B(RBX), 0, B(RBP), 0, DW_OP_xor);
    EXPECT("shifted left", 800, B(RBX), 0, DW_OP_lit3, DW_OP_shl);
    EXPECT("shifted right, with zeros", 1, B(RBP), 0, DW_OP_const1u, 63, DW_OP_shr);
    EXPECT("shifted right, with the sign", -2, B(RBP), 0, DW_OP_lit2, DW_OP_shra);
    EXPECT("negative", 7, B(RBP), 0, DW_OP_neg);
    EXPECT("inverted", 6, B(RBP), 0, DW_OP_not);
    EXPECT("without its sign", 7, B(RBP), 0, DW_OP_abs);
    EXPECT("without its sign, of a positive one", 100, B(RBX), 0, DW_OP_abs);
}

static void check_choices(void)
{
    EXPECT("less", 0, B(RBX), 0, B(RBP), 0, DW_OP_lt);
    EXPECT("greater", 1, B(RBX), 0, B(RBP), 0, DW_OP_gt);
    EXPECT("less or equal", 1, B(RBX), 0, B(RBX), 0, DW_OP_le);
    EXPECT("greater or equal", 0, B(RBP), 0, B(RBX), 0, DW_OP_ge);
    EXPECT("equal", 0, B(RBP), 0, B(RBX), 0, DW_OP_eq);
    EXPECT("not equal", 1, B(RBP), 0, B(RBX), 0, DW_OP_ne);
    /* as gcc writes the least of two, and the greatest */
    EXPECT("the least", -7, B(RBX), 0, DW_OP_dup, B(RBP), 0, DW_OP_swap, DW_OP_over, DW_OP_lt,
           DW_OP_bra, 1, 0, DW_OP_swap, DW_OP_drop);
    EXPECT("the greatest", 100, B(RBX), 0, DW_OP_dup, B(RBP), 0, DW_OP_swap, DW_OP_over, DW_OP_gt,
           DW_OP_bra, 1, 0, DW_OP_swap, DW_OP_drop);
    EXPECT("the other one is dropped", 101, B(RBX), 1, B(RBP), 0, DW_OP_drop, DW_OP_lit0,
           DW_OP_plus, DW_OP_dup, DW_OP_and);
    EXPECT("the third from the top", 100, B(RBX), 0, DW_OP_lit1, DW_OP_lit2, DW_OP_pick, 2,
           DW_OP_swap, DW_OP_drop, DW_OP_swap, DW_OP_drop, DW_OP_swap, DW_OP_drop);
}

static void check_memory(void)
{
    registers[RCX] = (uint64_t)(uintptr_t)memory;
    EXPECT("what lies in memory, and more", 0x1122334455667789, B(RCX), 0, DW_OP_deref,
           DW_OP_plus_uconst, 1);
    EXPECT("two bytes of it", 0x7788 + 100, B(RCX), 0, DW_OP_deref_size, 2, B(RBX), 0, DW_OP_plus);
    EXPECT("with an index", 7, B(RCX), 0, B(RBP), 9, DW_OP_lit3, DW_OP_shl, DW_OP_plus,
           DW_OP_deref);
    const unsigned char wild[] = {B(RBX), 0, B(RBP), 0, DW_OP_plus, DW_OP_deref, DW_OP_stack_value};
    expect("memory that is not there", FOUND_UNREADABLE, 0, wild, sizeof wild);
    const unsigned char none[] = {B(RBX),     0,         B(RCX),    0,
                                  DW_OP_lit0, DW_OP_and, DW_OP_div, DW_OP_stack_value};
    expect("a quotient of 0", FOUND_UNREADABLE, 0, none, sizeof none);
}

static void check_refused(void)
{
    REFUSED("a register with the hook's own argument", PLACE_REGISTER_LOST, 8, B(RBX), 0, B(RSI), 0,
            DW_OP_plus, DW_OP_stack_value);
    REFUSED("what a register held at the start", PLACE_OVERWRITTEN, 8, B(RBX), 0, DW_OP_entry_value,
            1, DW_OP_reg5, DW_OP_plus, DW_OP_stack_value);
    REFUSED("two values", PLACE_COMPLEX, 8, B(RBX), 0, B(RBP), 0, DW_OP_stack_value);
    REFUSED("one value of two", PLACE_COMPLEX, 8, B(RBX), 0, DW_OP_plus, DW_OP_stack_value);
    REFUSED("any other jump", PLACE_COMPLEX, 8, B(RBX), 0, B(RBP), 0, B(RCX), 0, DW_OP_bra, 2, 0,
            DW_OP_swap, DW_OP_drop, DW_OP_stack_value);
    REFUSED("more behind a value", PLACE_COMPLEX, 8, B(RBX), 0, B(RBP), 0, DW_OP_plus,
            DW_OP_stack_value, DW_OP_neg);
    REFUSED("an operation that is cut off", PLACE_COMPLEX, 8, B(RBX), 0, B(RBP), 0, DW_OP_plus,
            DW_OP_const4u, 1);
    unsigned char many[2 * FISQL_RECIPE_STEPS_MAX + 8] = {B(RBX), 0};
    size_t used = 2;
    while (used < sizeof many - 1) {
        many[used++] = DW_OP_neg;
    }
    many[used++] = DW_OP_stack_value;
    expect_reason("more steps than there may be", PLACE_COMPLEX, many, used, 8);
}

/* A struct in two registers, of which one half is computed. */
static void check_pieces(void)
{
    struct places places;
    static const unsigned char code[] = {
        B(RBX),      0, B(RBP),     0,           DW_OP_plus, DW_OP_stack_value,
        DW_OP_piece, 8, DW_OP_reg6, DW_OP_piece, 8};
    check(find(code, sizeof code, 16, &places) == PLACE_FOUND &&
              places.whole.kind == PLACE_PIECES && places.pieces_count == 2 &&
              places.pieces[0].kind == PLACE_COMPUTED && places.pieces[0].steps_count == 3 &&
              places.pieces[1].kind == PLACE_IN_REGISTER,
          "a piece may be computed");
}

int main(void)
{
    check_arithmetic();
    check_choices();
    check_memory();
    check_refused();
    check_pieces();
    return check_status();
}
