// Orders of locks, one case a run: `locks` lists the cases with how many rings there are to be found, `locks NAME` runs
// one. Threads run one after the other, so that nothing stops; what they do could stop if they met, or not. The
// ideas are those that helgrind's and ThreadSanitizer's tests publish; the cases were written anew.
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <vector>
#include "../../collector/fisql.h"

#define NOINLINE __attribute__((noinline))

struct Mutex {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    NOINLINE void lock()
    {
        pthread_mutex_lock(&m);
    }
    NOINLINE void unlock()
    {
        pthread_mutex_unlock(&m);
    }
    NOINLINE bool try_lock()
    {
        return pthread_mutex_trylock(&m) == 0;
    }
};
struct Made : Mutex { // made by a call, at one place for all of them
    explicit Made(int type = PTHREAD_MUTEX_DEFAULT)
    {
        pthread_mutexattr_t how;
        pthread_mutexattr_init(&how);
        pthread_mutexattr_settype(&how, type);
        pthread_mutex_init(&m, &how);
        pthread_mutexattr_destroy(&how);
    }
    ~Made()
    {
        pthread_mutex_destroy(&m);
    }
};
struct Rwlock {
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    NOINLINE void read()
    {
        pthread_rwlock_rdlock(&l);
    }
    NOINLINE void write()
    {
        pthread_rwlock_wrlock(&l);
    }
    NOINLINE void unlock()
    {
        pthread_rwlock_unlock(&l);
    }
};
struct Spin {
    pthread_spinlock_t l;
    Spin()
    {
        pthread_spin_init(&l, 0);
    }
    NOINLINE void lock()
    {
        pthread_spin_lock(&l);
    }
    NOINLINE void unlock()
    {
        pthread_spin_unlock(&l);
    }
};

static Mutex a, b, c, d, guard;
static Rwlock r, s;

// Each in a thread of its own, one after the other.
template <class... F> static void threads(F... each)
{
    (std::thread(each).join(), ...);
}
template <class X, class Y> NOINLINE static void both(X &x, Y &y)
{
    x.lock();
    y.lock();
    y.unlock();
    x.unlock();
}
template <class X, class Y, class Z> NOINLINE static void three(X &x, Y &y, Z &z)
{
    x.lock();
    both(y, z);
    x.unlock();
}
static timespec soon()
{
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 10;
    return t;
}

struct Case {
    const char *name;
    int rings;
    void (*run)();
};

static const Case cases[] = {
    {"two", 1, [] { threads([] { both(a, b); }, [] { both(b, a); }); }},
    {"two_same_order", 0, [] { threads([] { both(a, b); }, [] { both(a, b); }); }},
    {"two_one_thread", 1,
     [] {
         both(a, b);
         both(b, a);
     }},
    {"three", 1, [] { threads([] { both(a, b); }, [] { both(b, c); }, [] { both(c, a); }); }},
    {"three_same_order", 0,
     [] { threads([] { both(a, b); }, [] { both(b, c); }, [] { both(a, c); }); }},
    {"four", 1,
     [] {
         threads([] { both(a, b); }, [] { both(b, c); }, [] { both(c, d); }, [] { both(d, a); });
     }},
    {"eight", 1,
     [] {
         static Mutex ring[8];
         for (int i = 0; i < 8; i++)
             std::thread([i] { both(ring[i], ring[(i + 1) % 8]); }).join();
     }},
    {"two_rings", 2,
     [] {
         threads([] { both(a, b); }, [] { both(b, a); }, [] { both(c, d); }, [] { both(d, c); });
     }},
    {"nested_three", 1,
     [] { threads([] { three(a, b, c); }, [] { both(c, b); }); }}, // a is no part
    {"guarded", 0, [] { threads([] { three(guard, a, b); }, [] { three(guard, b, a); }); }},
    {"guarded_once", 1, [] { threads([] { three(guard, a, b); }, [] { both(b, a); }); }},
    {"guarded_first_then_not", 1,
     [] {
         threads([] { three(guard, a, b); }, [] { three(guard, b, a); }, [] { both(a, b); },
                 [] { both(b, a); });
     }},
    {"guard_left", 1,
     [] {
         threads(
             [] {
                 guard.lock();
                 a.lock();
                 guard.unlock();
                 b.lock();
                 b.unlock();
                 a.unlock();
             },
             [] { three(guard, b, a); });
     }},
    {"other_guards", 1, [] { threads([] { three(c, a, b); }, [] { three(d, b, a); }); }},
    {"guard_read", 1,
     [] { // two readers do not keep each other out
         threads(
             [] {
                 r.read();
                 both(a, b);
                 r.unlock();
             },
             [] {
                 r.read();
                 both(b, a);
                 r.unlock();
             });
     }},
    {"guard_read_write", 0,
     [] {
         threads(
             [] {
                 r.read();
                 both(a, b);
                 r.unlock();
             },
             [] {
                 r.write();
                 both(b, a);
                 r.unlock();
             });
     }},
    {"ring_with_common", 0,
     [] { // each step of the ring holds c, too: as a guard, or as what it holds
         threads([] { three(c, a, b); }, [] { three(c, b, a); });
     }},
    {"not_nested", 0,
     [] {
         threads(
             [] {
                 a.lock();
                 a.unlock();
                 b.lock();
                 b.unlock();
             },
             [] {
                 b.lock();
                 b.unlock();
                 a.lock();
                 a.unlock();
             });
     }},
    {"released_out_of_order", 1,
     [] {
         threads(
             [] {
                 a.lock();
                 b.lock();
                 a.unlock();
                 b.unlock();
             },
             [] {
                 b.lock();
                 a.lock();
                 b.unlock();
                 a.unlock();
             });
     }},
    {"hand_over_hand", 0,
     [] {
         threads(
             [] {
                 a.lock();
                 b.lock();
                 a.unlock();
                 c.lock();
                 b.unlock();
                 d.lock();
                 c.unlock();
                 d.unlock();
             },
             [] {
                 a.lock();
                 b.lock();
                 a.unlock();
                 c.lock();
                 b.unlock();
                 c.unlock();
             });
     }},
    {"try", 0,
     [] { // who only tries does not wait
         threads([] { both(a, b); },
                 [] {
                     b.lock();
                     if (a.try_lock())
                         a.unlock();
                     b.unlock();
                 });
     }},
    {"try_then_lock", 1,
     [] { // what was got by a try is held like any other
         threads([] { both(a, b); },
                 [] {
                     if (b.try_lock()) {
                         a.lock();
                         a.unlock();
                         b.unlock();
                     }
                 });
     }},
    {"timed", 0,
     [] {
         threads([] { both(a, b); },
                 [] {
                     timespec until = soon();
                     b.lock();
                     if (pthread_mutex_timedlock(&a.m, &until) == 0)
                         a.unlock();
                     b.unlock();
                 });
     }},
    {"timed_mutex", 0,
     [] {
         static std::timed_mutex x, y;
         threads([] { both(x, y); },
                 [] {
                     y.lock();
                     if (x.try_lock_for(std::chrono::seconds(9)))
                         x.unlock();
                     y.unlock();
                 });
     }},
    {"readers", 0,
     [] {
         threads(
             [] {
                 r.read();
                 s.read();
                 s.unlock();
                 r.unlock();
             },
             [] {
                 s.read();
                 r.read();
                 r.unlock();
                 s.unlock();
             });
     }},
    {"reader_and_writer", 1,
     [] {
         threads(
             [] {
                 r.read();
                 s.write();
                 s.unlock();
                 r.unlock();
             },
             [] {
                 s.read();
                 r.write();
                 r.unlock();
                 s.unlock();
             });
     }},
    {"read_on_both_sides", 0,
     [] { // of r at least: nobody waits for it
         threads(
             [] {
                 r.read();
                 s.write();
                 s.unlock();
                 r.unlock();
             },
             [] {
                 s.write();
                 r.read();
                 r.unlock();
                 s.unlock();
             });
     }},
    {"writers", 1,
     [] {
         threads(
             [] {
                 r.write();
                 s.write();
                 s.unlock();
                 r.unlock();
             },
             [] {
                 s.write();
                 r.write();
                 r.unlock();
                 s.unlock();
             });
     }},
    {"rwlock_and_mutex", 1,
     [] {
         threads(
             [] {
                 r.read();
                 a.lock();
                 a.unlock();
                 r.unlock();
             },
             [] {
                 a.lock();
                 r.write();
                 r.unlock();
                 a.unlock();
             });
     }},
    {"rwlock_and_mutex_reading", 0,
     [] {
         threads(
             [] {
                 r.read();
                 a.lock();
                 a.unlock();
                 r.unlock();
             },
             [] {
                 a.lock();
                 r.read();
                 r.unlock();
                 a.unlock();
             });
     }},
    {"read_twice", 0,
     [] {
         r.read();
         r.read();
         r.unlock();
         r.unlock();
     }},
    {"shared_mutex", 1,
     [] {
         static std::shared_mutex x;
         static std::mutex y;
         threads(
             [] {
                 x.lock_shared();
                 y.lock();
                 y.unlock();
                 x.unlock_shared();
             },
             [] { both(y, x); });
     }},
    {"recursive", 0,
     [] {
         static Made x(PTHREAD_MUTEX_RECURSIVE);
         x.lock();
         both(x, a);
         both(x, a);
         x.unlock();
     }},
    {"recursive_again", 0,
     [] { // it is held already when it is locked the second time: nobody waits
         static Made x(PTHREAD_MUTEX_RECURSIVE);
         x.lock();
         a.lock();
         x.lock();
         x.unlock();
         a.unlock();
         x.unlock();
     }},
    {"recursive_inverted", 1,
     [] {
         static std::recursive_mutex x;
         threads(
             [] {
                 x.lock();
                 x.lock();
                 a.lock();
                 a.unlock();
                 x.unlock();
                 x.unlock();
             },
             [] { both(a, x); });
     }},
    {"condition", 1,
     [] { // to come back from the wait it needs a again, and holds b still
         static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
         threads([] {
             timespec at;
             clock_gettime(CLOCK_REALTIME, &at);
             a.lock();
             b.lock();
             pthread_cond_timedwait(&ready, &a.m, &at);
             b.unlock();
             a.unlock();
         });
     }},
    {"condition_alone", 0,
     [] {
         static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
         threads([] {
             timespec at;
             clock_gettime(CLOCK_REALTIME, &at);
             b.lock();
             a.lock();
             pthread_cond_timedwait(&ready, &a.m, &at);
             a.unlock();
             b.unlock();
         });
     }},
    {"condition_variable", 0,
     [] {
         static std::mutex x;
         static std::condition_variable ready;
         static bool done;
         std::thread waiter([] {
             std::unique_lock<std::mutex> lock(x);
             ready.wait(lock, [] { return done; });
         });
         {
             std::lock_guard<std::mutex> lock(x);
             done = true;
         }
         ready.notify_one();
         waiter.join();
     }},
    {"std_lock", 0,
     [] {
         static std::mutex x, y;
         auto take = [](std::mutex &p, std::mutex &q) {
             std::lock(p, q);
             p.unlock();
             q.unlock();
         };
         threads([=] { take(x, y); }, [=] { take(y, x); });
     }},
    {"scoped_lock", 0,
     [] {
         static std::mutex x, y, z;
         threads([] { std::scoped_lock lock(x, y, z); }, [] { std::scoped_lock lock(z, y, x); });
     }},
    {"scoped_lock_and_lock", 1,
     [] { // what scoped_lock holds is held like any other
         static std::mutex x, y, z;
         threads(
             [] {
                 std::scoped_lock lock(x, y);
                 z.lock();
                 z.unlock();
             },
             [] { both(z, x); });
     }},
    {"lock_guard", 1,
     [] {
         static std::mutex x, y;
         threads([] { std::lock_guard<std::mutex> p(x), q(y); },
                 [] { std::lock_guard<std::mutex> p(y), q(x); });
     }},
    {"c11", 1,
     [] {
         static mtx_t x, y;
         mtx_init(&x, mtx_plain);
         mtx_init(&y, mtx_plain);
         threads(
             [] {
                 mtx_lock(&x);
                 mtx_lock(&y);
                 mtx_unlock(&y);
                 mtx_unlock(&x);
             },
             [] {
                 mtx_lock(&y);
                 mtx_lock(&x);
                 mtx_unlock(&x);
                 mtx_unlock(&y);
             });
     }},
    {"c11_same_order", 0,
     [] {
         static mtx_t x, y;
         mtx_init(&x, mtx_plain);
         mtx_init(&y, mtx_recursive);
         threads([] {
             mtx_lock(&x);
             mtx_lock(&y);
             mtx_lock(&y);
             mtx_unlock(&y);
             mtx_unlock(&y);
             mtx_unlock(&x);
         });
     }},
    {"spin", 1,
     [] {
         static Spin x, y;
         threads([] { both(x, y); }, [] { both(y, x); });
     }},
    {"spin_and_mutex", 1,
     [] {
         static Spin x;
         threads([] { both(x, a); }, [] { both(a, x); });
     }},
    {"user_lock", 1,
     [] {
         static int x;
         auto take = [] { FISQL_LOCKED(&x); };
         auto give = [] { FISQL_UNLOCKED(&x); };
         threads(
             [=] {
                 take();
                 a.lock();
                 a.unlock();
                 give();
             },
             [=] {
                 a.lock();
                 take();
                 give();
                 a.unlock();
             });
     }},
    {"semaphore", 0,
     [] { // nobody owns it
         static sem_t x, y;
         sem_init(&x, 0, 1);
         sem_init(&y, 0, 1);
         threads(
             [] {
                 sem_wait(&x);
                 sem_wait(&y);
                 sem_post(&y);
                 sem_post(&x);
             },
             [] {
                 sem_wait(&y);
                 sem_wait(&x);
                 sem_post(&x);
                 sem_post(&y);
             });
     }},
    {"other_objects", 0,
     [] { // of a kind, but never the same two
         static Made x[4];
         threads([] { both(x[0], x[1]); }, [] { both(x[3], x[2]); });
     }},
    {"made_anew", 0,
     [] { // at the same address, by destroying and making
         alignas(Made) static char place[sizeof(Made)];
         Made *x = new (place) Made;
         both(*x, a);
         x->~Made();
         x = new (place) Made;
         both(a, *x);
         x->~Made();
     }},
    {"memory_anew", 0,
     [] { // at the same address, by free and malloc alone: std::mutex is not made by a call
         auto x = std::make_unique<std::mutex>();
         void *before = x.get();
         both(*x, a);
         std::vector<std::unique_ptr<std::mutex>> others;
         x.reset();
         do
             others.push_back(std::make_unique<std::mutex>());
         while (others.back().get() != before && others.size() < 1000);
         both(a, *others.back());
     }},
    {"many", 0,
     [] { // more than a thread keeps counts of
         static Mutex all[3000];
         for (auto &one : all)
             both(a, one);
         for (auto &one : all)
             both(a, one);
     }},
    {"many_inverted", 1,
     [] {
         static Mutex all[3000];
         for (auto &one : all)
             both(a, one);
         both(all[2], a);
     }},
    {"deep", 1,
     [] { // more at once than have places
         static Mutex all[100];
         for (auto &one : all)
             one.lock();
         for (auto &one : all)
             one.unlock();
         both(all[5], all[4]);
     }},
    {"in_handlers_of_exit", 0,
     [] {
         threads([] { both(a, b); });
         atexit([] { both(a, b); });
     }},
    {"forked", 1,
     [] { // parent and child have locks of their own
         both(a, b);
         if (fork() == 0) {
             both(b, a);
             both(a, b);
             _exit(0);
         }
         usleep(50000);
     }},
};

int main(int argc, char **argv)
{
    for (const Case &one : cases)
        if (argc < 2)
            printf("%s %d\n", one.name, one.rings);
        else if (strcmp(argv[1], one.name) == 0)
            one.run();
    return 0;
}
