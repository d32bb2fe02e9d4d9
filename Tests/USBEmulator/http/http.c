#include "http.h"

#include <errno.h>
#include <glib-unix.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../bus/bus.h"

struct http *http_new(void) {
    struct http *http = g_new0(struct http, 1);
    http->to_server = g_byte_array_new();
    http->from_server = g_byte_array_new();
    http->connection = -1;
    http->refusal.head = g_byte_array_new();
    return http;
}

bool http_set_server(struct http *http, const char *server) {
    const char *colon = strrchr(server, ':');
    bool refuses = g_str_equal(server, "404"), is_off = g_str_equal(server, "off");
    if (colon == NULL && !refuses && !is_off) return false;
    http_reset(http);
    g_clear_pointer(&http->host, g_free);
    g_clear_pointer(&http->port, g_free);
    http->refuses = refuses;
    if (colon != NULL) {
        http->host = g_strndup(server, (gsize)(colon - server));
        http->port = g_strdup(colon + 1);
    }
    return true;
}

static void disconnect(struct http *http) {
    if (http->reader != 0) g_source_remove(http->reader);
    if (http->writer != 0) g_source_remove(http->writer);
    http->reader = http->writer = 0;
    if (http->connection >= 0) close(http->connection);
    http->connection = -1;
}

void http_reset(struct http *http) {
    disconnect(http);
    g_byte_array_set_size(http->to_server, 0);
    g_byte_array_set_size(http->from_server, 0);
    refusal_reset(&http->refusal);
}

static gboolean read_server(gint connection, GIOCondition condition, gpointer data) {
    (void)condition;
    struct http *http = data;
    uint8_t bytes[1 << 14];
    bus_lock();
    // It may have been dropped between the event and the lock.
    bool goes_on = http->connection == connection && http->reader != 0;
    if (goes_on) {
        ssize_t count = recv(connection, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count > 0) {
            g_byte_array_append(http->from_server, bytes, (guint)count);
            // The client is slow: http_read() takes reading up again.
            if (http->from_server->len >= HTTP_BUFFER_MAX) {
                http->reader = 0;
                goes_on = false;
            }
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            // What the server sent is still read; the next request makes a new connection.
            http->reader = 0;
            goes_on = false;
            disconnect(http);
        }
        bus_settle();
    }
    bus_unlock();
    return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean write_server(gint connection, GIOCondition condition, gpointer data) {
    (void)condition;
    struct http *http = data;
    bus_lock();
    bool goes_on = http->connection == connection && http->writer != 0;
    if (goes_on) {
        ssize_t count = send(connection, http->to_server->data, http->to_server->len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) g_byte_array_remove_range(http->to_server, 0, (guint)count);
        // A broken connection is noticed by the reader.
        goes_on = http->to_server->len > 0 && (count > 0 || errno == EAGAIN || errno == EINTR);
        if (!goes_on) http->writer = 0;
        bus_settle();
    }
    bus_unlock();
    return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

// Waits for it: servers of tests are on this machine.
static bool connect_to_server(struct http *http) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *addresses = NULL;
    if (http->host == NULL || getaddrinfo(http->host, http->port, &hints, &addresses) != 0) return false;
    for (const struct addrinfo *address = addresses; address != NULL && http->connection < 0; address = address->ai_next) {
        int connection = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connection < 0) continue;
        if (connect(connection, address->ai_addr, address->ai_addrlen) == 0) {
            http->connection = connection;
        } else {
            close(connection);
        }
    }
    freeaddrinfo(addresses);
    if (http->connection < 0) return false;
    http->connections++;
    return true;
}

static void watch(struct http *http) {
    bool may_read = http->connection >= 0 && http->from_server->len < HTTP_BUFFER_MAX;
    bool must_write = http->connection >= 0 && http->to_server->len > 0;
    if (may_read && http->reader == 0) {
        http->reader = g_unix_fd_add(http->connection, G_IO_IN | G_IO_HUP | G_IO_ERR, read_server, http);
    }
    if (must_write && http->writer == 0) http->writer = g_unix_fd_add(http->connection, G_IO_OUT, write_server, http);
}

size_t http_room(const struct http *http) {
    return http->to_server->len < HTTP_BUFFER_MAX ? HTTP_BUFFER_MAX - http->to_server->len : 0;
}

bool http_take(struct http *http, const uint8_t *bytes, size_t count) {
    if (http->refuses) {
        refusal_take(&http->refusal, bytes, count, http->from_server);
        return true;
    }
    if (http->connection < 0 && !connect_to_server(http)) return false;
    g_byte_array_append(http->to_server, bytes, (guint)count);
    watch(http);
    return true;
}

size_t http_read(struct http *http, uint8_t *bytes, size_t limit) {
    size_t count = MIN(limit, http->from_server->len);
    if (count == 0) return 0;
    memcpy(bytes, http->from_server->data, count);
    g_byte_array_remove_range(http->from_server, 0, (guint)count);
    watch(http);
    return count;
}
