#pragma once

#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "shim.h"

// Acts that the sandbox is to deny, for the helpers' `--self-test`: each is tried on this process and its parent, and harms nobody where it is
// not denied. All return 0 where it was possible, or an errno value.

static inline int csandbox_attempt(long result) { return result < 0 ? errno : 0; }

/// Signal 0 reaches nobody, and is denied like any other.
static inline int csandbox_try_kill(void) { return csandbox_attempt(syscall(SYS_kill, getppid(), 0)); }
static inline int csandbox_try_kill_own(void) { return csandbox_attempt(syscall(SYS_kill, getpid(), 0)); }
static inline int csandbox_try_tkill(void) { return csandbox_attempt(syscall(SYS_tkill, getppid(), 0)); }
static inline int csandbox_try_tgkill(void) { return csandbox_attempt(syscall(SYS_tgkill, getppid(), getppid(), 0)); }

static inline int csandbox_try_sigqueue(void) {
    siginfo_t info = {.si_code = SI_QUEUE};
    return csandbox_attempt(syscall(SYS_rt_sigqueueinfo, getppid(), 0, &info));
}

/// Uses a descriptor that does not exist: EBADF where the call is not denied.
static inline int csandbox_try_pidfd_signal(void) { return csandbox_attempt(syscall(SYS_pidfd_send_signal, -1, 0, NULL, 0)); }
static inline int csandbox_try_pidfd_open(void) { return csandbox_attempt(syscall(SYS_pidfd_open, getppid(), 0)); }

/// Has a signal sent to another process when input arrives (F_SETOWN).
static inline int csandbox_try_owner(void) { return csandbox_attempt(syscall(SYS_fcntl, 0, F_SETOWN, getpid())); }
static inline int csandbox_try_asynchronous(void) { return csandbox_attempt(syscall(SYS_fcntl, 0, F_SETFL, 0)); }
static inline int csandbox_try_ioctl(void) {
    int none = 0;
    return csandbox_attempt(syscall(SYS_ioctl, 0, FIONBIO, &none));
}

static inline int csandbox_try_child(long child) {
    if (child == 0) _exit(0);
    return csandbox_attempt(child);
}
static inline int csandbox_try_fork(void) {
#ifdef SYS_fork
    return csandbox_try_child(syscall(SYS_fork));
#else
    return csandbox_try_child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#endif
}
static inline int csandbox_try_clone(void) { return csandbox_try_child(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }
static inline int csandbox_try_clone3(void) { return csandbox_attempt(syscall(SYS_clone3, NULL, 0)); }

static inline void *csandbox_idle_thread(void *nothing) { return nothing; }
static inline int csandbox_try_thread(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, csandbox_idle_thread, NULL);
}

static inline int csandbox_try_program(void) {
    char *none[] = {NULL};
    // No such file: ENOENT where it is not denied.
    return csandbox_attempt(syscall(SYS_execve, "/nonexistent", none, none));
}

/// Traces no process: ESRCH where the call is not denied.
static inline int csandbox_try_trace(void) { return csandbox_attempt(syscall(SYS_ptrace, PTRACE_CONT, 0, 0, 0)); }
static inline int csandbox_try_read_process(void) {
    char byte = 0, copy;
    struct iovec from = {&byte, 1}, to = {&copy, 1};
    return csandbox_attempt(syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0));
}
static inline int csandbox_try_write_process(void) {
    char byte = 0, copy = 0;
    struct iovec from = {&byte, 1}, to = {&copy, 1};
    return csandbox_attempt(syscall(SYS_process_vm_writev, getpid(), &from, 1, &to, 1, 0));
}

static inline int csandbox_try_map(int protection, int flags) {
    long address = syscall(SYS_mmap, NULL, 4096, protection, flags, -1, 0);
    if (address != -1) munmap((void *)address, 4096);
    return csandbox_attempt(address == -1 ? -1 : 0);
}
static inline int csandbox_try_shared_memory(void) { return csandbox_try_map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS); }
static inline int csandbox_try_shared_reading(void) { return csandbox_try_map(PROT_READ, MAP_SHARED | MAP_ANONYMOUS); }
static inline int csandbox_try_program_memory(void) { return csandbox_try_map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS); }
static inline int csandbox_try_memory_file(void) { return csandbox_attempt(syscall(SYS_memfd_create, "kiosk-helper", 0)); }
static inline int csandbox_try_shared_segment(void) { return csandbox_attempt(syscall(SYS_shmget, 0, 4096, 0)); }

/// Takes as much memory as all limits leave, in whole megabytes; ENOMEM where that is less than a gigabyte.
static inline int csandbox_try_gigabyte(void) {
    void *memory = mmap(NULL, 1u << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return errno;
    munmap(memory, 1u << 30);
    return 0;
}

static inline int csandbox_try_write_file(void) { return csandbox_attempt(syscall(SYS_openat, AT_FDCWD, "/tmp/kiosk-helper", O_WRONLY | O_CREAT, 0600)); }
static inline int csandbox_try_read_file(void) { return csandbox_attempt(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY)); }
static inline int csandbox_try_unlink(void) { return csandbox_attempt(syscall(SYS_unlinkat, AT_FDCWD, "/nonexistent", 0)); }
static inline int csandbox_try_socket(void) { return csandbox_attempt(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0)); }
static inline int csandbox_try_send_descriptor(void) {
    struct msghdr none = {0};
    return csandbox_attempt(syscall(SYS_sendmsg, 1, &none, MSG_DONTWAIT));
}
/// From standard error, which is no socket of the daemon's: ENOTSOCK where it is not denied.
static inline int csandbox_try_receive_descriptor(void) {
    struct msghdr none = {0};
    return csandbox_attempt(syscall(SYS_recvmsg, 2, &none, MSG_DONTWAIT));
}
static inline int csandbox_try_dumpable(void) { return csandbox_attempt(syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0)); }
static inline int csandbox_try_raise_limit(void) {
    struct rlimit limit;
    if (syscall(SYS_prlimit64, 0, RLIMIT_NPROC, NULL, &limit) != 0) return 0;
    return csandbox_attempt(syscall(SYS_prlimit64, 0, RLIMIT_NPROC, &limit, NULL));
}

/// The hard limits that are left: 0 where both are, as they shall be.
static inline int csandbox_may_make_processes(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_max == 0 ? EPERM : 0;
}
static inline int csandbox_may_write_files(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_max == 0 ? EPERM : 0;
}

/// Continues in a child process, in which this returns -1. The parent copies the child's output, which the child could not write to a file
/// (RLIMIT_FSIZE), and returns its exit status.
static inline int csandbox_go_on_as_child(void) {
    int output[2];
    if (pipe(output) != 0) return 1;
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        dup2(output[1], 1);
        close(output[0]);
        close(output[1]);
        return -1;
    }
    close(output[1]);
    char part[4096];
    ssize_t count;
    while ((count = read(output[0], part, sizeof part)) > 0) {
        if (write(1, part, (size_t)count) != count) return 1;
    }
    int end = 0;
    while (waitpid(child, &end, 0) == -1 && errno == EINTR) {}
    return WIFEXITED(end) ? WEXITSTATUS(end) : 1;
}

/// The wait status of a child that handles fault signals as this program does and then crashes (`own`) or is sent such a signal; -1 on failure.
/// To be called before the sandbox is closed.
static inline int csandbox_end_of_child(int own, int status) {
    int ready[2];
    if (pipe(ready) != 0) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        char byte = 0;
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (csandbox_tell_kills_apart(status) != 0) _exit(1);
        if (own) *(volatile char *)0 = 0;
        if (write(ready[1], &byte, 1) != 1) _exit(1);
        for (;;) pause();
    }
    char byte;
    close(ready[1]);
    if (!own && read(ready[0], &byte, 1) == 1) kill(child, SIGSEGV);
    close(ready[0]);
    int end = -1;
    while (waitpid(child, &end, 0) == -1 && errno == EINTR) {}
    return end;
}
