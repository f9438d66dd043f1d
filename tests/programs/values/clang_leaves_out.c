/* Functions of which an optimising clang may leave out arguments or results, and such of which it may not. Each is called
 * with 1, 2. */
#define APART __attribute__((noinline))

volatile int sink;

/* Only called here, directly: `unused` is not passed, nobody takes the result. */
APART static int lonely(int used, int unused)
{
    sink += used;
    return sink * 2;
}

/* Its result is taken; of `handed_on` it is returned by another function. */
APART static int taken(int used)
{
    sink += used;
    return used * 2;
}

APART static int handed_on(int used)
{
    sink += used;
    return used * 3;
}

APART static int hands_on(int used)
{
    sink++;
    return handed_on(used);
}

/* Reads neither: inner() does. */
APART int inner(int first, int second)
{
    sink += first + second;
    return first - second;
}

APART int passes_on(int first, int second)
{
    sink++;
    return inner(first, second) + 1;
}

/* Others may call it, though not of another module: nobody takes its result. */
APART __attribute__((visibility("hidden"))) int hidden(int used)
{
    sink += used;
    return used * 5;
}

/* Only called by their addresses: of a table, of a variable that code sets, handed over. */
APART static int in_table(int used, int unused)
{
    return used * 7;
}

APART static int in_variable(int used, int unused)
{
    return used * 11;
}

APART static int handed_over(int used, int unused)
{
    return used * 13;
}

static int (*const table[])(int, int) = {in_table, in_table};
static int (*volatile variable)(int, int);

APART void calls(int (*function)(int, int), int first, int second)
{
    sink += function(first, second);
}

/* Called by its address and directly. */
APART static int both(int used, int unused)
{
    sink += used;
    return used * 17;
}

int main(int one, char **argv)
{
    int two = one + 1;
    (void)argv;
    variable = in_variable;
    lonely(one, two);
    sink = taken(one) + 1;
    sink = hands_on(one) + 1;
    passes_on(one, two);
    hidden(one);
    sink = table[one](one, two);
    sink = variable(one, two);
    calls(handed_over, one, two);
    calls(both, one, two);
    both(one, two);
    return 0;
}
