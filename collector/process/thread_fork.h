/* The calling thread's log across fork. */
#ifndef FISQL_COLLECTOR_PROCESS_THREAD_FORK_H
#define FISQL_COLLECTOR_PROCESS_THREAD_FORK_H

/* Before fork, in the thread that forks; after fork, in the child. */
void thread_log_forking(void);
/* In the parent, afterwards. */
void thread_log_went_on(void);
void thread_log_forked(void);
/* In a forked child of which nothing was known at the fork: begins with no log. */
void thread_logs_forget(void);

#endif
