#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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

typedef enum { CSANDBOX_DATA, CSANDBOX_MEMORY, CSANDBOX_CORE, CSANDBOX_FILES } csandbox_resource;

static inline int csandbox_limit(csandbox_resource resource, uint64_t value) {
    struct rlimit limit = {value, value};
    switch (resource) {
    case CSANDBOX_DATA: return csandbox_result(setrlimit(RLIMIT_DATA, &limit));
    case CSANDBOX_MEMORY: return csandbox_result(setrlimit(RLIMIT_AS, &limit));
    case CSANDBOX_CORE: return csandbox_result(setrlimit(RLIMIT_CORE, &limit));
    case CSANDBOX_FILES: return csandbox_result(setrlimit(RLIMIT_NOFILE, &limit));
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

/// Opening files to read them, memory that holds no program, asking for limits, and threads, but no processes: Pango asks fontconfig on a
/// thread of its own. What clone3(2) is to make cannot be seen, so the C library is told that there is only clone(2).
static inline int csandbox_allow_in_part(scmp_filter_ctx filter) {
    const uint64_t thread = 0x00010000; // CLONE_THREAD, for GNU sources only
    const unsigned writing = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
    int failure = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
    if (failure == 0) failure = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (failure == 0) failure = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (failure == 0) failure = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0));
    if (failure == 0) failure = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (failure == 0) failure = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread));
    return -failure;
}

static inline int csandbox_load(scmp_filter_ctx filter) { return -seccomp_load(filter); }
