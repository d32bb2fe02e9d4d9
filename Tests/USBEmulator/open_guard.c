// A library for the program under test, before umockdev's. It answers open() below /dev where the open would fail, for two
// reasons: root may open anything, so that a test run by root could not see a missing right (a node of mode 000 is closed to
// root as well here); and umockdev 0.17 loses one of its 50 places for open devices with each open that fails.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The error that this open would fail with, or 0. access() and stat() are umockdev's and look into the test bed.
static int refusal(const char *path, int flags) {
    if (path == NULL || strncmp(path, "/dev/", 5) != 0 || flags & O_CREAT) return 0;
    int saved = errno, error = 0;
    int way = flags & O_ACCMODE;
    struct stat status;
    if (access(path, way == O_RDONLY ? R_OK : way == O_WRONLY ? W_OK : R_OK | W_OK) != 0) {
        error = errno;
    } else if (strncmp(path, "/dev/bus/usb/", 13) == 0 && stat(path, &status) == 0 && (status.st_mode & 0777) == 0) {
        error = EACCES;
    }
    errno = saved;
    return error;
}

#define GUARD(name)                                                  \
    int name(const char *path, int flags, ...) {                     \
        static int (*next)(const char *, int, ...);                  \
        int error = refusal(path, flags);                            \
        if (error != 0) {                                            \
            errno = error;                                           \
            return -1;                                               \
        }                                                            \
        if (next == NULL) next = dlsym(RTLD_NEXT, #name);            \
        va_list arguments;                                           \
        va_start(arguments, flags);                                  \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments);                                           \
        return next(path, flags, mode);                              \
    }

GUARD(open)
GUARD(open64)
// What a program built with _FORTIFY_SOURCE calls.
GUARD(__open_2)
GUARD(__open64_2)
