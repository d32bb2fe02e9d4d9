#pragma once

// `struct stat`, `struct tm` and the like belong to several clang modules at once as soon as NIO's are loaded, and
// Swift then gives no access to their members. These calls hand the same out in types of their own.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

struct clinux_file {
    uint64_t device, inode;
    uint32_t mode, user, group;
};

static inline void clinux_copy(const struct stat *status, struct clinux_file *file) {
    file->device = status->st_dev;
    file->inode = status->st_ino;
    file->mode = status->st_mode;
    file->user = status->st_uid;
    file->group = status->st_gid;
}

/// stat(2), or lstat(2) where links are not to be followed. Returns 0 or an errno value.
static inline int clinux_stat(const char *path, int follow, struct clinux_file *file) {
    struct stat status;
    if ((follow ? stat(path, &status) : lstat(path, &status)) != 0) return errno;
    clinux_copy(&status, file);
    return 0;
}

/// fstat(2). Returns 0 or an errno value.
static inline int clinux_fstat(int descriptor, struct clinux_file *file) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return errno;
    clinux_copy(&status, file);
    return 0;
}

/// Who connected a Unix stream socket, when they did (unix(7), SO_PEERCRED). Returns 0 or an errno value.
static inline int clinux_peer(int descriptor, uint32_t *user, uint32_t *group) {
    struct { int32_t process; uint32_t user, group; } peer; // struct ucred, which glibc shows to GNU sources only
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return errno;
    *user = peer.user;
    *group = peer.group;
    return 0;
}

/// The supplementary groups of whoever connected (SO_PEERGROUPS, Linux 4.13). `count` is the room in `groups`, then how
/// many there are. Returns 0 or an errno value; ERANGE when there are more than there is room for.
static inline int clinux_peer_groups(int descriptor, uint32_t *groups, uint32_t *count) {
    socklen_t length = *count * sizeof *groups;
    int failure = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &length) == 0 ? 0 : errno;
    *count = length / sizeof *groups;
    return failure;
}

/// Connects a Unix stream socket. Returns 0 or an errno value; ENAMETOOLONG when the path does not fit (unix(7)).
static inline int clinux_connect(int descriptor, const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path));
    return connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
}

/// Sends a datagram to a Unix socket without blocking. `name` is a path, or "@" and an abstract name (unix(7)). Returns 0 or an
/// errno value.
static inline int clinux_send_datagram(int socket, const char *name, const void *bytes, size_t count) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    size_t length = strlen(name);
    if (length == 0) return EINVAL;
    // A path ends with a zero; an abstract name begins with one.
    if (length + (name[0] != '@') > sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path, name, length);
    if (name[0] == '@') address.sun_path[0] = 0;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] != '@'));
    return sendto(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, size) < 0 ? errno : 0;
}

/// Where a stream socket listens: its path (empty where it has none), or its address and port. Returns 0 or an errno value;
/// ESOCKTNOSUPPORT for another type of socket, EINVAL for one that does not listen.
static inline int clinux_listening_socket(int descriptor, int *family, char *name, size_t room, uint16_t *port) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address, size = sizeof(int);
    int type = 0, listens = 0;
    memset(&address, 0, sizeof address);
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return errno;
    if (type != SOCK_STREAM) return ESOCKTNOSUPPORT;
    size = sizeof listens;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0) return errno;
    if (!listens) return EINVAL;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return errno;
    *family = address.ss_family;
    *port = 0;
    name[0] = 0;
    if (address.ss_family == AF_UNIX) {
        snprintf(name, room, "%s", ((struct sockaddr_un *)&address)->sun_path);
    } else if (address.ss_family == AF_INET) {
        *port = ntohs(((struct sockaddr_in *)&address)->sin_port);
        inet_ntop(AF_INET, &((struct sockaddr_in *)&address)->sin_addr, name, (socklen_t)room);
    } else if (address.ss_family == AF_INET6) {
        *port = ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
        inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&address)->sin6_addr, name, (socklen_t)room);
    }
    return 0;
}

/// Sends like send(2) without blocking, and passes a descriptor with the first byte (unix(7), SCM_RIGHTS). Returns the
/// number of bytes, or -1.
static inline ssize_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
    union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// A file in memory with these bytes, which nobody can change any more (memfd_create(2), F_SEAL_WRITE). Its position is 0.
/// Returns its descriptor, or -1.
static inline int clinux_sealed_file(const char *name, const void *bytes, size_t count) {
    // MFD_CLOEXEC | MFD_ALLOW_SEALING, F_ADD_SEALS, and F_SEAL_SEAL | SHRINK | GROW | WRITE: for GNU sources only.
    int file = (int)syscall(SYS_memfd_create, name, 0x0003u);
    if (file < 0) return -1;
    size_t written = 0;
    while (written < count) {
        ssize_t part = pwrite(file, (const char *)bytes + written, count - written, (off_t)written);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        written += (size_t)part;
    }
    if (written == count && fcntl(file, 1033, 0x000F) == 0) return file;
    int failure = errno;
    close(file);
    errno = failure;
    return -1;
}

/// Opens a file without a name on the file system of a folder, for reading and writing (open(2), O_TMPFILE, which is for
/// GNU sources only; where the file system has none, a file that is removed at once). Returns its descriptor, or -1.
static inline int clinux_unnamed_file(const char *folder) {
    int file = open(folder, 020000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/.pages-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    file = mkstemp(path);
    if (file < 0) return -1;
    unlink(path);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}
