// What is behind an interface of IPP over USB: an HTTP server at a TCP address, or one of our own that answers 404 to
// everything, as a printer does whose IPP is switched off.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP_BUFFER_MAX = 1 << 16 };

// Reads requests only to see where each ends.
struct refusal {
    GByteArray *head; // of the request that is coming in; empty amid a body
    uint64_t body;    // bytes of it still to come
    bool is_chunked;
};

struct http {
    char *host, *port;        // NULL: nothing answers
    bool refuses;             // 404 for everything
    GByteArray *to_server, *from_server;
    int connection;           // -1: none; made with the first bytes
    guint reader, writer;     // event sources of the main thread; 0: none
    unsigned connections;     // made so far
    struct refusal refusal;
};

struct http *http_new(void);
// "HOST:PORT", "404", or "off". False when it is none of these.
bool http_set_server(struct http *http, const char *server);
size_t http_room(const struct http *http);
// False when the server cannot be reached.
bool http_take(struct http *http, const uint8_t *bytes, size_t count);
size_t http_read(struct http *http, uint8_t *bytes, size_t limit);
// Drops the connection and all that is under way.
void http_reset(struct http *http);

// Takes in a part of a request, and appends a response when a head is complete.
void refusal_take(struct refusal *refusal, const uint8_t *bytes, size_t count, GByteArray *responses);
void refusal_reset(struct refusal *refusal);
