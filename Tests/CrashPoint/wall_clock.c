// Lets a process take the wall clock for another time, as on a machine whose clock is set wrong.
//
//   LD_PRELOAD=…/wall_clock.so WALL_CLOCK_AHEAD=SECONDS program
//
// SECONDS may be negative. Clocks of elapsed time stay as they are, and so does how long something waits: absolute times of
// the wall clock up to which a process waits are given to the system as times of its own clock. (Under libfaketime, which
// has many more clocks and timers to reckon with, kioskd's fleet does not begin.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

static time_t ahead;

__attribute__((constructor)) static void read_offset(void)
{
    const char *seconds = getenv("WALL_CLOCK_AHEAD");
    ahead = seconds ? strtol(seconds, NULL, 10) : 0;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int clock_gettime(clockid_t clock, struct timespec *now)
{
    REAL(clock_gettime);
    int result = real(clock, now);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += ahead;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    REAL(gettimeofday);
    int result = real(now, zone);
    if (!result)
        now->tv_sec += ahead;
    return result;
}

time_t time(time_t *stored)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (stored)
        *stored = now.tv_sec;
    return now.tv_sec;
}

// A time after 2001 and before the year 5000 is one of the wall clock: no machine is up for so long.
static struct timespec system_time(struct timespec time)
{
    if (time.tv_sec > 1000000000 && time.tv_sec < 100000000000)
        time.tv_sec -= ahead;
    return time;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
    // Of the versions that glibc has of it, dlsym finds the oldest.
    static __typeof__(pthread_cond_timedwait) *real;
    if (!real)
        real = (__typeof__(pthread_cond_timedwait) *)dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!real)
        real = (__typeof__(pthread_cond_timedwait) *)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec time = system_time(*until);
    return real(condition, mutex, &time);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    REAL(sem_timedwait);
    struct timespec time = system_time(*until);
    return real(semaphore, &time);
}

int timerfd_settime(int file, int flags, const struct itimerspec *timer, struct itimerspec *before)
{
    REAL(timerfd_settime);
    struct itimerspec moved = *timer;
    if (flags & TFD_TIMER_ABSTIME)
        moved.it_value = system_time(moved.it_value);
    return real(file, flags, &moved, before);
}
