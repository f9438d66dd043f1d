/* Own functions among those of the C++ library: templates, lambdas, members that the compiler makes, calls back from
 * std::sort, functions that a macro of a header would define. Prints how often each was called. */
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static int added, compared, copied, doubled;

struct item {
    std::string name;
    std::vector<int> values;
    item(int n) : name(40, static_cast<char>('a' + n % 26))
    {
    }
    item(const item &other) : name(other.name), values(other.values)
    {
        copied++;
    }
    item &operator=(const item &other) = default;
};

template <class T> T twice(T value)
{
    doubled++;
    return value + value;
}

static void add(std::vector<item> &items, int n)
{
    added++;
    items.push_back(item(n));
    for (int i = 0; i < n % 7; i++)
        items.back().values.push_back(twice(i));
}

int main()
{
    std::vector<item> items;
    std::map<std::string, int> seen;
    for (int i = 0; i < 30; i++) {
        add(items, i);
        seen[twice(items.back().name)] += i;
    }
    std::sort(items.begin(), items.end(), [](const item &a, const item &b) {
        compared++;
        return a.name < b.name;
    });
    std::printf("add %d\ncompare %d\ncopy %d\ntwice %d\n", added, compared, copied, doubled);
    return 0;
}
