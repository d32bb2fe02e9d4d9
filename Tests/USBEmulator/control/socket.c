#include "socket.h"

#include <errno.h>
#include <glib-unix.h>
#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "commands.h"

enum { LINE_MAX_LENGTH = 1 << 18 };

struct connection {
    int descriptor;
    GString *received;
};

static bool send_all(int descriptor, const GString *answer) {
    for (size_t sent = 0; sent < answer->len;) {
        ssize_t count = send(descriptor, answer->str + sent, answer->len - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) sent += (size_t)count;
    }
    return true;
}

static bool answer_lines(struct connection *connection) {
    char *end;
    while ((end = strchr(connection->received->str, '\n')) != NULL) {
        g_autoptr(GString) answer = g_string_new(NULL);
        *end = 0;
        command_run(connection->received->str, answer);
        g_string_erase(connection->received, 0, end + 1 - connection->received->str);
        if (!send_all(connection->descriptor, answer)) return false;
    }
    return connection->received->len <= LINE_MAX_LENGTH;
}

static gboolean receive(gint descriptor, GIOCondition condition, gpointer data) {
    (void)condition;
    struct connection *connection = data;
    char bytes[4096];
    ssize_t count = recv(descriptor, bytes, sizeof bytes, 0);
    if (count > 0) {
        g_string_append_len(connection->received, bytes, count);
        if (answer_lines(connection)) return G_SOURCE_CONTINUE;
    }
    close(descriptor);
    g_string_free(connection->received, TRUE);
    g_free(connection);
    return G_SOURCE_REMOVE;
}

static gboolean accept_connection(gint listener, GIOCondition condition, gpointer unused) {
    (void)condition;
    (void)unused;
    int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (descriptor < 0) return G_SOURCE_CONTINUE;
    struct connection *connection = g_new0(struct connection, 1);
    connection->descriptor = descriptor;
    connection->received = g_string_new(NULL);
    g_unix_fd_add(descriptor, G_IO_IN | G_IO_HUP | G_IO_ERR, receive, connection);
    return G_SOURCE_CONTINUE;
}

bool control_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (g_strlcpy(address.sun_path, path, sizeof address.sun_path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0) return false;
    if (listen(listener, SOMAXCONN) != 0) return false;
    // Also for a program that runs as an ordinary user.
    chmod(path, 0666);
    g_unix_fd_add(listener, G_IO_IN, accept_connection, NULL);
    return true;
}
