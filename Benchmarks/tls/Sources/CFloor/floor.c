#include "floor.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct floor_client {
    int port;
    SSL_CTX *context;
    /// The newest that the server gave; a TLS 1.3 ticket is offered once (RFC 8446 §C.4).
    SSL_SESSION *session;
};

static bool wrong(const char *what) {
    fprintf(stderr, "floor: %s\n", what);
    ERR_print_errors_fp(stderr);
    return false;
}

static int session_given(SSL *ssl, SSL_SESSION *session) {
    floor_client *client = SSL_get_app_data(ssl);
    SSL_SESSION_free(client->session);
    client->session = session;
    return 1;
}

floor_client *floor_new(int port, const char *ca_file) {
    floor_client *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->port = port;
    if (!ca_file) return client;
    client->context = SSL_CTX_new(TLS_client_method());
    if (!client->context || SSL_CTX_load_verify_locations(client->context, ca_file, NULL) != 1) {
        wrong(ca_file);
        floor_free(client);
        return NULL;
    }
    SSL_CTX_set_verify(client->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_alpn_protos(client->context, (const unsigned char *)"\x08http/1.1", 9);
    SSL_CTX_set_session_cache_mode(client->context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(client->context, session_given);
    return client;
}

void floor_free(floor_client *client) {
    if (!client) return;
    SSL_SESSION_free(client->session);
    SSL_CTX_free(client->context);
    free(client);
}

static SSL *shake_hands(floor_client *client, int connection) {
    SSL *ssl = SSL_new(client->context);
    if (!ssl) return NULL;
    SSL_set_app_data(ssl, client);
    bool is_ready = SSL_set_fd(ssl, connection) && SSL_set1_host(ssl, "localhost") && SSL_set_tlsext_host_name(ssl, "localhost");
    if (is_ready && client->session) {
        is_ready = SSL_set_session(ssl, client->session);
        if (SSL_SESSION_get_protocol_version(client->session) >= TLS1_3_VERSION) {
            SSL_SESSION_free(client->session);
            client->session = NULL;
        }
    }
    if (is_ready && SSL_connect(ssl) == 1) return ssl;
    SSL_free(ssl);
    return NULL;
}

static ssize_t receive(SSL *ssl, int connection, char *space, size_t room) {
    if (!ssl) return recv(connection, space, room, 0);
    size_t count = 0;
    return SSL_read_ex(ssl, space, room, &count) == 1 ? (ssize_t)count : -1;
}

/// Whether an answer 200 came, up to its last octet.
static bool take_answer(SSL *ssl, int connection) {
    char answer[8192];
    size_t have = 0, wanted = 0;
    while (!wanted || have < wanted) {
        ssize_t count = receive(ssl, connection, answer + have, sizeof answer - 1 - have);
        if (count <= 0) return false;
        have += (size_t)count;
        answer[have] = 0;
        char *end = strstr(answer, "\r\n\r\n"), *field = strcasestr(answer, "\r\ncontent-length:");
        if (!wanted && end && field) wanted = (size_t)(end + 4 - answer) + strtoul(field + 17, NULL, 10);
    }
    return have == wanted && !strncmp(answer, "HTTP/1.1 200", 12);
}

static bool exchange(floor_client *client, int connection, const void *request, size_t length) {
    SSL *ssl = client->context ? shake_hands(client, connection) : NULL;
    if (client->context && !ssl) return wrong("no handshake");
    size_t sent = 0;
    bool is_sent = ssl ? SSL_write_ex(ssl, request, length, &sent) == 1 : send(connection, request, length, MSG_NOSIGNAL) == (ssize_t)length;
    bool is_answered = is_sent && take_answer(ssl, connection);
    if (ssl) {
        SSL_shutdown(ssl);
        SSL_free(ssl);
    }
    ERR_clear_error();
    return is_answered || wrong("no answer");
}

bool floor_send(floor_client *client, const void *request, size_t length) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)client->port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    bool is_done = connect(connection, (struct sockaddr *)&place, sizeof place) == 0 || wrong("no connection");
    is_done = is_done && exchange(client, connection, request, length);
    close(connection);
    return is_done;
}
