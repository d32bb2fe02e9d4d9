#include "bare_client.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct bare_client {
    int port;
    SSL_CTX *context;
    /// The newest that the server gave; a TLS 1.3 ticket is offered once (RFC 8446 §C.4).
    SSL_SESSION *session;
    /// Of the connection under way, until `bare_client_close`; -1 and NULL where there is none.
    int connection;
    SSL *ssl;
};

static bool wrong(const char *what) {
    fprintf(stderr, "bare client: %s\n", what);
    ERR_print_errors_fp(stderr);
    return false;
}

static int session_given(SSL *ssl, SSL_SESSION *session) {
    bare_client *client = SSL_get_app_data(ssl);
    SSL_SESSION_free(client->session);
    client->session = session;
    return 1;
}

bare_client *bare_client_new(int port, const char *ca_file) {
    bare_client *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->port = port, client->connection = -1;
    if (!ca_file) return client;
    client->context = SSL_CTX_new(TLS_client_method());
    if (!client->context || SSL_CTX_load_verify_locations(client->context, ca_file, NULL) != 1) {
        wrong(ca_file);
        bare_client_free(client);
        return NULL;
    }
    SSL_CTX_set_verify(client->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_alpn_protos(client->context, (const unsigned char *)"\x08http/1.1", 9);
    SSL_CTX_set_session_cache_mode(client->context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(client->context, session_given);
    return client;
}

void bare_client_free(bare_client *client) {
    if (!client) return;
    bare_client_close(client);
    SSL_SESSION_free(client->session);
    SSL_CTX_free(client->context);
    free(client);
}

static bool shake_hands(bare_client *client) {
    SSL *ssl = client->ssl = SSL_new(client->context);
    if (!ssl) return false;
    SSL_set_app_data(ssl, client);
    if (!SSL_set_fd(ssl, client->connection) || !SSL_set1_host(ssl, "localhost") || !SSL_set_tlsext_host_name(ssl, "localhost"))
        return false;
    if (client->session) {
        if (!SSL_set_session(ssl, client->session)) return false;
        if (SSL_SESSION_get_protocol_version(client->session) >= TLS1_3_VERSION) {
            SSL_SESSION_free(client->session);
            client->session = NULL;
        }
    }
    return SSL_connect(ssl) == 1;
}

static bool put(bare_client *client, const void *request, size_t length) {
    size_t sent = 0;
    if (client->ssl) return SSL_write_ex(client->ssl, request, length, &sent) == 1 && sent == length;
    return send(client->connection, request, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static ssize_t get(bare_client *client, char *space, size_t room) {
    if (!client->ssl) return recv(client->connection, space, room, 0);
    size_t count = 0;
    return SSL_read_ex(client->ssl, space, room, &count) == 1 ? (ssize_t)count : -1;
}

/// Whether a response 200 came, up to its last octet.
static bool read_response(bare_client *client) {
    char response[8192];
    size_t have = 0, wanted = 0;
    while (!wanted || have < wanted) {
        ssize_t count = get(client, response + have, sizeof response - 1 - have);
        if (count <= 0) return false;
        have += (size_t)count;
        response[have] = 0;
        char *end = strstr(response, "\r\n\r\n"), *field = strcasestr(response, "\r\ncontent-length:");
        if (!wanted && end && field) wanted = (size_t)(end + 4 - response) + strtoul(field + 17, NULL, 10);
    }
    return have == wanted && !strncmp(response, "HTTP/1.1 200", 12);
}

bool bare_client_send(bare_client *client, const void *request, size_t length) {
    bare_client_close(client);
    ERR_clear_error();
    int on = 1;
    client->connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)client->port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(client->connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(client->connection, (struct sockaddr *)&place, sizeof place)) return wrong("no connection");
    if (client->context && !shake_hands(client)) return wrong("no handshake");
    return (put(client, request, length) && read_response(client)) || wrong("no response");
}

void bare_client_close(bare_client *client) {
    if (client->ssl) SSL_shutdown(client->ssl);
    SSL_free(client->ssl);
    if (client->connection >= 0) close(client->connection);
    client->ssl = NULL, client->connection = -1;
}
