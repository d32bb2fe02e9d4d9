#pragma once

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Calls with varying arguments, and GNU extensions, which Swift does not see. All return 0 or an errno value.

// open(2): for GNU sources only.
#define CSANDBOX_O_PATH 010000000

static inline int csandbox_result(long result) { return result == 0 ? 0 : errno; }

/// Closes what the parent left open (close_range(2), Linux 5.9).
static inline int csandbox_close_from_3(void) { return csandbox_result(syscall(SYS_close_range, 3u, ~0u, 0u)); }

static inline int csandbox_no_new_privileges(void) { return csandbox_result(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); }

/// Ends with the thread that started it. One that ended before has closed our input.
static inline int csandbox_die_with_parent(void) { return csandbox_result(prctl(PR_SET_PDEATHSIG, SIGKILL)); }

/// No debugger of the same user reads its memory.
static inline int csandbox_hide_memory(void) { return csandbox_result(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }

/// Becomes another user for good, with one group only. For root.
static inline int csandbox_become(uint32_t user, uint32_t group) {
    // For GNU sources only, and for this thread, which is the only one.
    if (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, group, group, group) != 0) return errno;
    return csandbox_result(syscall(SYS_setresuid, user, user, user));
}

/// The storage of the exit status for kills. (Swift imports no variables from headers, except those inside functions.)
static inline int *csandbox_status_of_kills(void) {
    static int status;
    return &status;
}

/// A signal that the kernel sends over what this program did, or that it sends itself (abort(3)), ends it as usual. One that another process
/// sends ends it with a status of its own.
static inline void csandbox_on_fault(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code <= 0 && info->si_pid != getpid()) _exit(*csandbox_status_of_kills());
    // The handler is gone (SA_RESETHAND); the signal waits until this one returns.
    syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), signal);
}

static inline int csandbox_tell_kills_apart(int status) {
    // Where the stack itself is used up there is none left to look from.
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    if (sigaltstack(&alternative, NULL) != 0) return errno;
    *csandbox_status_of_kills() = status;
    struct sigaction action = {.sa_sigaction = csandbox_on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    for (unsigned index = 0; index < sizeof signals / sizeof *signals; ++index) {
        if (sigaction(signals[index], &action, NULL) != 0) return errno;
    }
    // A log that may not grow (RLIMIT_FSIZE) costs a line, not the program.
    return signal(SIGXFSZ, SIG_IGN) == SIG_ERR ? errno : 0;
}

/// How readily the kernel ends this process where memory is short (proc(5)); anyone may raise it.
static inline int csandbox_out_of_memory_score(int score) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    char text[16];
    int length = snprintf(text, sizeof text, "%d", score);
    int failure = write(file, text, (size_t)length) == length ? 0 : errno;
    close(file);
    return failure;
}

/// Reads like read(2) from a stream socket, and takes a descriptor that came along. `*received` is -1 where none did; others are closed.
/// Returns the number of bytes, or -1.
static inline ssize_t csandbox_receive(int socket, void *bytes, size_t count, int *received) {
    // Room for two, so that a sender that passes more is noticed and nothing leaks.
    union { struct cmsghdr header; char bytes[CMSG_SPACE(2 * sizeof(int))]; } control;
    struct iovec part = {bytes, count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *received = -1;
    ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (length < 0) return length;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        for (size_t offset = 0; offset + sizeof(int) <= header->cmsg_len - CMSG_LEN(0); offset += sizeof(int)) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + offset, sizeof descriptor);
            if (*received < 0) *received = descriptor;
            else close(descriptor);
        }
    }
    return length;
}

typedef enum {
    CSANDBOX_DATA, CSANDBOX_MEMORY, CSANDBOX_CORE, CSANDBOX_FILES, CSANDBOX_PROCESSES, CSANDBOX_FILE_SIZE
} csandbox_resource;

static inline int csandbox_limit(csandbox_resource resource, uint64_t value) {
    struct rlimit limit = {value, value};
    switch (resource) {
    case CSANDBOX_DATA: return csandbox_result(setrlimit(RLIMIT_DATA, &limit));
    case CSANDBOX_MEMORY: return csandbox_result(setrlimit(RLIMIT_AS, &limit));
    case CSANDBOX_CORE: return csandbox_result(setrlimit(RLIMIT_CORE, &limit));
    case CSANDBOX_FILES: return csandbox_result(setrlimit(RLIMIT_NOFILE, &limit));
    case CSANDBOX_PROCESSES: return csandbox_result(setrlimit(RLIMIT_NPROC, &limit));
    case CSANDBOX_FILE_SIZE: return csandbox_result(setrlimit(RLIMIT_FSIZE, &limit));
    }
    return EINVAL;
}

/// From now on files are read below these folders only, and written nowhere (landlock(7), Linux 5.13). Folders that do not exist are passed over;
/// NULL ends them. Of the calling thread, and those that it starts.
static inline int csandbox_read_only(const char *const *folders) {
    // All that the first version of Landlock knows: LANDLOCK_ACCESS_FS_EXECUTE to LANDLOCK_ACCESS_FS_MAKE_SYM.
    struct landlock_ruleset_attr handled = {.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0) return errno;
    int failure = 0;
    for (; *folders != NULL && failure == 0; ++folders) {
        int folder = open(*folders, CSANDBOX_O_PATH | O_CLOEXEC);
        if (folder < 0) continue;
        struct landlock_path_beneath_attr rule = {
            .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR, .parent_fd = folder};
        failure = csandbox_result(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0));
        close(folder);
    }
    if (failure == 0) failure = csandbox_result(syscall(SYS_landlock_restrict_self, rules, 0));
    close(rules);
    return failure;
}

/// A filter that lets nothing through yet, for all threads.
static inline scmp_filter_ctx csandbox_filter(void) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter != NULL) seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    return filter;
}

/// Lets a system call through; one that this machine does not have is nothing to allow.
static inline int csandbox_allow(scmp_filter_ctx filter, const char *name) {
    int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR || number < 0) return 0;
    return -seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
}

/// Lets a system call through where its arguments are these.
static inline int csandbox_allow_where(scmp_filter_ctx filter, int number, unsigned count, const struct scmp_arg_cmp *arguments) {
    return -seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, count, arguments);
}

/// Opening files to read them, memory that holds no program and is written by nobody else, asking for limits, looking at descriptors, and a signal
/// to itself, as abort(3) sends it. fcntl(2) could have signals sent to others when something comes (F_SETOWN, F_SETSIG).
static inline int csandbox_allow_in_part(scmp_filter_ctx filter) {
    const unsigned writing = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
    const uint64_t kind = MAP_SHARED | MAP_PRIVATE, anonymous = 0x20; // MAP_ANONYMOUS, for GNU sources only
    const struct scmp_arg_cmp reading[] = {SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY)};
    const struct scmp_arg_cmp private_memory[] = {
        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0), SCMP_A3(SCMP_CMP_MASKED_EQ, kind, MAP_PRIVATE)};
    const struct scmp_arg_cmp shared_file[] = {
        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_WRITE, 0), SCMP_A3(SCMP_CMP_MASKED_EQ, kind | anonymous, MAP_SHARED)};
    const struct scmp_arg_cmp no_program[] = {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)};
    const struct scmp_arg_cmp own_limits[] = {SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0)};
    const struct scmp_arg_cmp itself[] = {SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())};
    int failure = csandbox_allow_where(filter, SCMP_SYS(openat), 1, reading);
    if (failure == 0) failure = csandbox_allow_where(filter, SCMP_SYS(mmap), 2, private_memory);
    if (failure == 0) failure = csandbox_allow_where(filter, SCMP_SYS(mmap), 2, shared_file);
    if (failure == 0) failure = csandbox_allow_where(filter, SCMP_SYS(mprotect), 1, no_program);
    if (failure == 0) failure = csandbox_allow_where(filter, SCMP_SYS(prlimit64), 2, own_limits);
    if (failure == 0) failure = csandbox_allow_where(filter, SCMP_SYS(tgkill), 1, itself);
    static const int looks[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL};
    for (unsigned index = 0; index < sizeof looks / sizeof *looks && failure == 0; ++index) {
        const struct scmp_arg_cmp look[] = {SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)looks[index])};
        failure = csandbox_allow_where(filter, SCMP_SYS(fcntl), 1, look);
    }
    return failure;
}

/// Receiving descriptors over standard input (unix(7), SCM_RIGHTS).
static inline int csandbox_allow_receiving(scmp_filter_ctx filter) {
    const struct scmp_arg_cmp input[] = {SCMP_A0(SCMP_CMP_EQ, 0)};
    return csandbox_allow_where(filter, SCMP_SYS(recvmsg), 1, input);
}

static inline int csandbox_load(scmp_filter_ctx filter) { return -seccomp_load(filter); }
