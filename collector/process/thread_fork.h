/* The calling thread's log across fork. */
#ifndef FISQL_COLLECTOR_PROCESS_THREAD_FORK_H
#define FISQL_COLLECTOR_PROCESS_THREAD_FORK_H

/* Call it before fork, in the thread that forks. */
void thread_log_forking(void);
/* Call one of these after fork: in the parent; in the child. */
void thread_log_went_on(void);
void thread_log_forked(void);
/* In a forked child that we did not see being forked: begins with no log. */
void thread_logs_forget(void);

#endif
