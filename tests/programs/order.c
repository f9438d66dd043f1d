/* Orders of calls that are kept, not kept, and broken at one place: tests/queries/planted_order.sh says which. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

volatile int sink;

/* More code than a function that only hands out a value has. */
#define BODY                                                                                       \
    do {                                                                                           \
        for (int i = 0; i < 3; i++)                                                                \
            sink += i * sink + (sink >> 3);                                                        \
        sink ^= 5;                                                                                 \
    } while (0)
#define FUNCTION(name)                                                                             \
    __attribute__((noinline)) void name(void)                                                      \
    {                                                                                              \
        BODY;                                                                                      \
    }

/* store_begin, then something else, then store_commit: three callers */
FUNCTION(store_begin)
FUNCTION(store_commit)
FUNCTION(write_number)
FUNCTION(write_text)
FUNCTION(write_list)
void save_number(void)
{
    store_begin();
    write_number();
    store_commit();
}
void save_text(void)
{
    store_begin();
    write_text();
    store_commit();
}
void save_list(int n)
{
    store_begin();
    for (int i = 0; i < n; i++) {
        write_list();
        write_number();
    }
    store_commit();
}

/* check_right before delete_row: of six callers delete_unasked does not */
FUNCTION(check_right)
FUNCTION(delete_row)
FUNCTION(find_row)
void delete_one(void)
{
    check_right();
    delete_row();
}
void delete_two(void)
{
    check_right();
    find_row();
    delete_row();
    delete_row();
}
void delete_found(void)
{
    check_right();
    find_row();
    delete_row();
}
void delete_all(void)
{
    find_row();
    check_right();
    write_text();
    delete_row();
}
void delete_last(void)
{
    check_right();
    write_number();
    delete_row();
}
void delete_unasked(void)
{
    find_row();
    delete_row();
}

/* take_turn before play: play_inner's caller took it */
FUNCTION(take_turn)
FUNCTION(play)
FUNCTION(think)
void play_one(void)
{
    take_turn();
    play();
}
void play_two(void)
{
    take_turn();
    think();
    play();
}
void play_three(void)
{
    take_turn();
    think();
    think();
    play();
}
void play_four(void)
{
    take_turn();
    think();
    write_text();
    play();
}
void play_inner(void)
{
    think();
    play();
}
void play_outer(void)
{
    take_turn();
    play_inner();
}

/* often_first comes before often_second in most calls of two callers, not in all */
FUNCTION(often_first)
FUNCTION(often_second)
void often_one(int n)
{
    if (n % 3)
        often_first();
    often_second();
}
void often_two(int n)
{
    if (n % 2)
        often_first();
    often_second();
}

/* weak_first comes before weak_second in all of two callers, but three more call it alone */
FUNCTION(weak_first)
FUNCTION(weak_second)
void weak_one(void)
{
    weak_first();
    weak_second();
}
void weak_two(void)
{
    weak_first();
    weak_second();
    think();
}
void weak_three(void)
{
    weak_first();
    think();
}
void weak_four(void)
{
    think();
    weak_first();
}
void weak_five(void)
{
    weak_first();
    weak_first();
}

/* log_open once in each thread, before log_line: the last thread does not */
FUNCTION(log_open)
FUNCTION(log_line)
void work_small(void)
{
    log_line();
    think();
}
void work_large(void)
{
    think();
    log_line();
    log_line();
}
void *worker(void *argument)
{
    if (argument == NULL)
        log_open();
    for (int i = 0; i < 5; i++) {
        work_small();
        work_large();
    }
    return argument;
}

/* table_make once in the run, before table_look */
FUNCTION(table_make)
FUNCTION(table_look)
/* list_make once in the run, but list_look before it as well */
FUNCTION(list_make)
FUNCTION(list_look)
void look_small(void)
{
    table_look();
    list_look();
}
void look_large(void)
{
    table_look();
    list_look();
    table_look();
}
void start_up(void)
{
    table_make();
}
void start_late(void)
{
    list_make();
}

int main(void)
{
    start_up();
    for (int i = 0; i < 10; i++) {
        save_number();
        save_text();
        save_list(i % 3);
        delete_one();
        delete_two();
        delete_found();
        delete_all();
        delete_last();
        play_one();
        play_two();
        play_three();
        play_four();
        play_outer();
        often_one(i);
        often_two(i);
        weak_one();
        weak_two();
        weak_three();
        weak_four();
        weak_five();
        look_small();
        if (i == 5)
            start_late();
        look_large();
    }
    delete_unasked();
    for (int i = 0; i < 6; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, i < 5 ? NULL : &thread);
        pthread_join(thread, NULL);
    }
    return 0;
}
