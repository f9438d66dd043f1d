// The program of the manual's examples: a shop that takes orders in two threads. It has something
// to find for each query, with a comment beside it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <vector>

namespace shop
{

static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static long store[64];

// called by one function alone, very often: inline-candidates, tight-calls, leaves
static int hash_letter(int hash, char letter)
{
    return hash * 31 + letter;
}

static int hash_name(const char *name)
{
    int hash = 7;
    for (; *name != '\0'; name++)
        hash = hash_letter(hash, *name);
    return hash & 63;
}

// passes its call on and does nothing else: proxies
static int slot_of(const char *name)
{
    return hash_name(name);
}

static void lock_store()
{
    pthread_mutex_lock(&store_lock);
}

static void unlock_store()
{
    pthread_mutex_unlock(&store_lock);
}

// always between lock_store and unlock_store: call-order
static void add_to_store(const char *name, long amount)
{
    lock_store();
    store[slot_of(name)] += amount;
    unlock_store();
}

// recursive: recursion, deep-stacks
static long ways(int coins)
{
    return coins < 2 ? 1 : ways(coins - 1) + ways(coins - 2);
}

// mutually recursive: call-cycles
static bool is_even(int n);
static bool is_odd(int n)
{
    return n == 0 ? false : is_even(n - 1);
}
static bool is_even(int n)
{
    return n == 0 ? true : is_odd(n - 1);
}

struct order {
    char *name;
    long amount;
};

// allocates what others free: allocators, alloc-free-pairs, cross-thread-frees, pool-candidates
static order *make_order(const char *name, long amount)
{
    order *made = static_cast<order *>(malloc(sizeof(order)));
    made->name = strdup(name);
    made->amount = amount;
    return made;
}

static void drop_order(order *dropped)
{
    free(dropped->name);
    free(dropped);
}

// one block freed at once, each time: temporary-allocations
static long price(const char *name)
{
    char *copy = strdup(name);
    long sum = 0;
    for (char *at = copy; *at != '\0'; at++)
        sum += *at;
    free(copy);
    return sum;
}

// most calls are quick, every hundredth is not: outliers, slow-calls; three ways: complexity
static long check_order(const order *checked, int number)
{
    if (number % 10 == 5)
        return is_even(number / 50);
    return number % 100 == 99 ? ways(16) : checked->amount;
}

// blocks that nobody frees, in some of its calls: not-freed, leaking-calls
static void *remember(const order *kept)
{
    if (kept->amount % 100 != 0)
        return nullptr;
    char *note = static_cast<char *>(malloc(200));
    snprintf(note, 200, "%s %ld", kept->name, kept->amount);
    return note;
}

// grows block by block: realloc-chains
static char *receipt(const std::vector<order *> &orders)
{
    char *text = nullptr;
    size_t size = 0;
    for (const order *one : orders) {
        size_t more = strlen(one->name) + 1;
        text = static_cast<char *>(realloc(text, size + more));
        memcpy(text + size, one->name, more);
        size += more;
    }
    return text;
}

// never called: dead-code
void refund(order *unlucky)
{
    drop_order(unlucky);
}

template <class T> static T total(const std::vector<T> &parts)
{
    T sum{};
    for (const T &part : parts)
        sum += part;
    return sum;
}

static std::vector<order *> ready; // from the clerk to the packer

// called in the second thread alone: thread-exclusive
static void *pack(void *)
{
    pthread_setname_np(pthread_self(), "packer");
    for (order *one : ready)
        drop_order(one);
    return nullptr;
}

// calls many others: wide-functions
static void take_orders()
{
    static const char *const names[] = {"tea", "coffee", "cocoa"};
    std::vector<long> prices;
    for (int i = 0; i < 500; i++) {
        order *taken = make_order(names[i % 3], i);
        prices.push_back(price(taken->name) + check_order(taken, i));
        add_to_store(taken->name, 1);
        if (i % 50 == 0)
            remember(taken);
        ready.push_back(taken);
    }
    printf("%ld %d\n", total(prices), is_even(40));
    free(receipt(ready));
}

// once, at the start: initializers
static void open_shop()
{
    memset(store, 0, sizeof store);
}

// once, at the end: finalizers
static void close_shop()
{
    std::vector<order *>().swap(ready);
}

} // namespace shop

int main()
{
    shop::open_shop();
    shop::take_orders();
    pthread_t packer;
    pthread_create(&packer, nullptr, shop::pack, nullptr);
    pthread_join(packer, nullptr);
    shop::close_shop();
    return 0;
}
