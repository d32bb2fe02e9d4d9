#pragma once

#include <sys/prctl.h>

// Swift imports neither prctl(2), which is variadic, nor pthread_setname_np(3), which glibc shows to GNU sources only.

/// Names the calling thread for people who look at the process; 15 bytes at most (PR_SET_NAME, prctl(2)).
static inline void cthreads_name_thread(const char *name) { prctl(PR_SET_NAME, name); }
