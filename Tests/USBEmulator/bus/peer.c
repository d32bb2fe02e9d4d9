#include "peer.h"

#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

// Sockets that a client was found for, by their inode; guarded by the bus's lock.
static GHashTable *noted;

static void forget(gpointer inode) { g_hash_table_remove(noted, inode); }

// The inode of a socket that was accepted for this node, or 0.
static gsize accepted_for(const char *node, int file) {
    struct sockaddr_un address = {0}, other;
    socklen_t length = sizeof address, other_length = sizeof other;
    struct stat status;
    if (getsockname(file, (struct sockaddr *)&address, &length) != 0 || address.sun_family != AF_UNIX) return 0;
    if (!g_str_has_suffix(address.sun_path, node)) return 0;
    // One that listens has no peer.
    if (getpeername(file, (struct sockaddr *)&other, &other_length) != 0) return 0;
    return fstat(file, &status) == 0 ? status.st_ino : 0;
}

void peer_note(UMockdevIoctlClient *client) {
    const char *node = umockdev_ioctl_client_get_devnode(client);
    DIR *files = opendir("/proc/self/fd");
    if (files == NULL) return;
    if (noted == NULL) noted = g_hash_table_new(NULL, NULL);
    for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
        int file = atoi(entry->d_name);
        gsize inode = accepted_for(node, file);
        if (inode == 0 || !g_hash_table_add(noted, GSIZE_TO_POINTER(inode))) continue;
        g_object_set_data(G_OBJECT(client), "socket", GINT_TO_POINTER(file + 1));
        g_object_set_data_full(G_OBJECT(client), "inode", GSIZE_TO_POINTER(inode), forget);
        break;
    }
    closedir(files);
}

gboolean peer_is_connected(UMockdevIoctlClient *client) {
    if (!umockdev_ioctl_client_get_connected(client)) return FALSE;
    struct pollfd socket = {.fd = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(client), "socket")) - 1};
    return socket.fd < 0 || poll(&socket, 1, 0) <= 0 || !(socket.revents & POLLHUP);
}
