// Ends a process as a crash or a power cut of the process would, at a chosen step of its work with disk and network.
//
//   LD_PRELOAD=…/crash_point.so CRASH_POINT=KIND:N program
//
// KIND: fsync (before the Nth fsync or fdatasync), fsynced (after it), send (before the Nth write to a socket), sent (after
// it), received (after the Nth read of a socket that gave bytes). What the process had written before is with the kernel.
//
//   LD_PRELOAD=…/crash_point.so CRASH_POINT=rename:PATTERN program
//
// Before the first rename to a file whose name fits the pattern (fnmatch(3)); renamed: after it.
//
//   LD_PRELOAD=…/crash_point.so CRASH_POINT=write:TEXT program
//
// Before the first write to a socket with TEXT in one of its pieces; written: after it. The text is not empty.
//
// With CRASH_SIGNAL=STOP the process is stopped there instead, and goes on from there after SIGCONT.
//
//   LD_PRELOAD=…/crash_point.so STALL_FILE=PATH program
//
// A disk that hangs: while there is a file PATH, no fsync and no fdatasync comes to its end. One that waits makes PATH.reached.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { NONE, FSYNC, FSYNCED, SEND, SENT, RECEIVED, WRITE, WRITTEN, RENAME, RENAMED };

static enum kind wanted = NONE;
static atomic_long left;
static const char *stall, *pattern;
static int is_stop;

__attribute__((constructor)) static void read_point(void)
{
    static const char *const names[] = {"", "fsync", "fsynced", "send", "sent", "received",
                                        "write", "written", "rename", "renamed"};
    stall = getenv("STALL_FILE");
    const char *chosen = getenv("CRASH_SIGNAL");
    is_stop = chosen && !strcmp(chosen, "STOP");
    const char *point = getenv("CRASH_POINT");
    const char *colon = point ? strchr(point, ':') : NULL;
    if (!colon)
        return;
    for (int kind = FSYNC; kind <= RENAMED; kind++)
        if (strlen(names[kind]) == (size_t)(colon - point) && !strncmp(names[kind], point, colon - point))
            wanted = kind;
    pattern = colon + 1;
    atomic_store(&left, wanted >= WRITE ? 1 : strtol(pattern, NULL, 10));
}

static void reached(enum kind kind)
{
    if (kind != wanted || atomic_fetch_sub(&left, 1) != 1)
        return;
    if (is_stop) {
        // To this thread: it has stopped when this returns, and all others with it.
        raise(SIGSTOP);
        return;
    }
    kill(getpid(), SIGKILL);
    // Other threads may be in a system call; nothing more happens here.
    for (;;)
        pause();
}

static void wait_while_stalled(void)
{
    if (!stall || access(stall, F_OK))
        return;
    char reached_file[4096];
    snprintf(reached_file, sizeof reached_file, "%s.reached", stall);
    close(open(reached_file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    while (!access(stall, F_OK))
        usleep(10000);
}

static int is_socket(int file)
{
    struct stat status;
    return wanted >= SEND && wanted <= WRITTEN && !fstat(file, &status) && S_ISSOCK(status.st_mode);
}

static int has_text(const void *bytes, size_t count)
{
    return wanted >= WRITE && wanted <= WRITTEN && memmem(bytes, count, pattern, strlen(pattern));
}

static int any_has_text(const struct iovec *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_text(pieces[i].iov_base, pieces[i].iov_len))
            return 1;
    return 0;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define SYNCING(name) \
    int name(int file) \
    { \
        REAL(name); \
        reached(FSYNC); \
        wait_while_stalled(); \
        int result = real(file); \
        reached(FSYNCED); \
        return result; \
    }

SYNCING(fsync)
SYNCING(fdatasync)

#define SENDING(name, parameters, arguments, found) \
    ssize_t name parameters \
    { \
        REAL(name); \
        int counts = is_socket(file); \
        int is_text = counts && (found); \
        if (counts) \
            reached(SEND); \
        if (is_text) \
            reached(WRITE); \
        ssize_t result = real arguments; \
        if (counts && result > 0) \
            reached(SENT); \
        if (is_text && result > 0) \
            reached(WRITTEN); \
        return result; \
    }

SENDING(write, (int file, const void *bytes, size_t count), (file, bytes, count), has_text(bytes, count))
SENDING(writev, (int file, const struct iovec *pieces, int count), (file, pieces, count),
        any_has_text(pieces, count > 0 ? count : 0))
SENDING(send, (int file, const void *bytes, size_t count, int flags), (file, bytes, count, flags), has_text(bytes, count))
SENDING(sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags),
        any_has_text(message->msg_iov, message->msg_iovlen))

#define RECEIVING(name, parameters, arguments) \
    ssize_t name parameters \
    { \
        REAL(name); \
        ssize_t result = real arguments; \
        if (result > 0 && is_socket(file)) \
            reached(RECEIVED); \
        return result; \
    }

RECEIVING(read, (int file, void *bytes, size_t count), (file, bytes, count))
RECEIVING(recv, (int file, void *bytes, size_t count, int flags), (file, bytes, count, flags))
RECEIVING(recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))

int rename(const char *from, const char *to)
{
    REAL(rename);
    const char *slash = strrchr(to, '/');
    int counts = wanted >= RENAME && !fnmatch(pattern, slash ? slash + 1 : to, 0);
    if (counts)
        reached(RENAME);
    int result = real(from, to);
    if (counts && !result)
        reached(RENAMED);
    return result;
}
