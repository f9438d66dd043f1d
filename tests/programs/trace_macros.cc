/* Macros of fisql_trace.h in C++, and this program's own account of what they leave. */
#include "fisql_trace.h"

#include <complex>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace shop
{

enum class Colour : unsigned char { red = 3 };

struct Point {
    int x, y;
};
std::ostream &operator<<(std::ostream &out, const Point &point)
{
    return out << '(' << point.x << ", " << point.y << ')';
}

class Counter
{
  public:
    Counter()
    {
        FISQL_FUNCTION(1);
    }
    ~Counter()
    {
        FISQL_FUNCTION(1);
    }
    int add(int n)
    {
        FISQL_FUNCTION(1);
        if (n == 7)
            throw std::runtime_error("seven");
        return FISQL_RESULT(total += n);
    }

  private:
    int total = 0;
};

template <class T> T twice(const T &value)
{
    FISQL_FUNCTION(1);
    return FISQL_RESULT(value + value);
}

} // namespace shop

static int catches(shop::Counter &counter)
{
    FISQL_FUNCTION(1);
    int caught = 0;
    for (int n = 5; n < 9; n++) {
        try {
            FISQL_FUNCTION(2);
            counter.add(n);
        } catch (const std::exception &error) {
            FISQL_SAY_(1) << "caught " << error.what() << " at " << n;
            caught++;
        }
    }
    return caught;
}

int main()
{
    FISQL_FUNCTION(1);
    shop::Counter counter;
    const int caught = catches(counter);
    const std::string name = "a string";
    const std::string_view part = std::string_view("text of which a part is seen").substr(0, 4);
    const shop::Point point = {3, 4};
    volatile int unsteady = 5;
    char room[16] = "room";
    auto moved = std::make_unique<int>(3);
    const int *nothing = nullptr;
    const std::string large(5000, 'l');
    FISQL_CHECKPOINT(1, "values", name, part, point, shop::Colour::red, unsteady, room, true, 2.5f,
                     nullptr, nothing, caught, std::complex<int>(1, 2), large, name.c_str(), -1L,
                     'c');
    auto in_lambda = [&](int n) {
        FISQL_FUNCTION(1);
        FISQL_VALUE(n);
        return n;
    };
    in_lambda(4);
    shop::twice(21);
    shop::twice(name);
    shop::twice(1.25);
    for (int i = 0; i < 2; i++)
        if (i == 1)
            FISQL_SAY_(2) << large;
        else
            FISQL_SAY(2, "else %d", i);
    {
        FISQL_FUNCTION(1);
        const auto kept = FISQL_RESULT(std::move(moved) != nullptr);
        std::printf("%d\n", kept ? 1 : 0);
    }
    return 0;
}
