// The program of the manual's examples of queries on arguments and results: a till. It has
// something to find for each query, with a comment beside it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum paper { PLAIN, THERMAL, PHOTO };

struct receipt {
    int number, lines;
};

// a receipt that cannot be sold is never freed: handles
static struct receipt *receipt_new(int number)
{
    struct receipt *receipt = malloc(sizeof *receipt);
    *receipt = (struct receipt){number, 0};
    return receipt;
}

static void receipt_free(struct receipt *receipt)
{
    free(receipt);
}

// -1 where the article is not known: failing-calls
static long price_of(const char *article)
{
    const char *digits = strpbrk(article, "0123456789");
    return digits != NULL ? strtol(digits, NULL, 10) % 1000 : -1;
}

// the same rates again and again: repeated-arguments
static long tax_of(int percent, int country)
{
    long tax = 0;
    for (int i = 0; i < 400; i++)
        tax = (tax * 31 + percent + country) % 10007;
    return tax;
}

// nobody wants to see more: constant-arguments
static void add_line(struct receipt *receipt, int lines, int verbose)
{
    receipt->lines += lines;
    if (verbose)
        printf("%d lines\n", receipt->lines);
}

// a photograph takes far longer: slow-arguments
static void print_on(enum paper paper, struct receipt *receipt)
{
    volatile int dots = 0;
    for (int i = 0; i < (paper == PHOTO ? 20000 : 200); i++)
        dots += receipt->lines;
}

static int is_same(int a, int b)
{
    return a == b;
}

// compares each with each: cost-by-argument
static int count_doubles(const int *numbers, int n)
{
    int doubles = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            doubles += is_same(numbers[i], numbers[k]);
    return doubles;
}

// a discount in whole percents: argument-types
static long discounted(long price, double percent)
{
    return price - (long)((double)price * percent / 100);
}

static long sell(struct receipt *receipt, const char *article)
{
    long price = price_of(article);
    if (price < 0)
        return -1;
    add_line(receipt, 1, 0);
    return discounted(price, receipt->number % 4 * 5) + tax_of(receipt->number % 3 * 7, 49);
}

// goes on without a price: failing-calls
static long give_back(struct receipt *receipt, const char *article)
{
    long price = price_of(article);
    add_line(receipt, 2, 0);
    return price < 0 ? 0 : price;
}

int main(void)
{
    int numbers[64];
    long sum = 0;
    for (int i = 0; i < 400; i++) {
        char article[32];
        snprintf(article, sizeof article, i % 50 == 49 ? "unknown" : "article %d", i);
        struct receipt *receipt = receipt_new(i);
        numbers[i % 64] = i * 7 % 61;
        long sold = i % 4 == 1 ? give_back(receipt, article) : sell(receipt, article);
        print_on(i % 40 == 7 ? PHOTO : i % 2 == 0 ? THERMAL : PLAIN, receipt);
        if (sold < 0)
            continue;
        sum += sold;
        if (i >= 64)
            sum += count_doubles(numbers, i % 16 * 4 + 4);
        receipt_free(receipt);
    }
    printf("%ld\n", sum);
    return 0;
}
