// The cheapest IPP printer there is: says that it printed, and does nothing. Behind a gateway what is left to measure is the way there.
//
//   printer PORT      (on 127.0.0.1; HTTP/1.1 with Content-Length, connections kept; each on a thread of its own)
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { largest_head = 16 << 10, largest_body = 1 << 20 };

static void fail(const char *what) { perror(what); exit(1); }

static unsigned char *add(unsigned char *at, int tag, const char *name, const void *value, size_t length) {
    *at++ = (unsigned char)tag;
    size_t name_length = strlen(name);
    *at++ = (unsigned char)(name_length >> 8), *at++ = (unsigned char)name_length;
    memcpy(at, name, name_length), at += name_length;
    *at++ = (unsigned char)(length >> 8), *at++ = (unsigned char)length;
    memcpy(at, value, length);
    return at + length;
}

static unsigned char *add_text(unsigned char *at, int tag, const char *name, const char *value) {
    return add(at, tag, name, value, strlen(value));
}

static unsigned char *add_number(unsigned char *at, int tag, const char *name, uint32_t value) {
    uint32_t big = htonl(value);
    return add(at, tag, name, &big, sizeof big);
}

// RFC 8010 §3: the response to a request, of which the first eight octets count.
static size_t make_response(const unsigned char *request, unsigned char *out) {
    static _Atomic uint32_t jobs;
    unsigned char *at = out;
    *at++ = request[0], *at++ = request[1], *at++ = 0, *at++ = 0;
    memcpy(at, request + 4, 4), at += 4;
    *at++ = 0x01;
    at = add_text(at, 0x47, "attributes-charset", "utf-8");
    at = add_text(at, 0x48, "attributes-natural-language", "en");
    unsigned operation = (unsigned)request[2] << 8 | request[3];
    if (operation == 0x000B) {
        *at++ = 0x04;
        at = add_text(at, 0x42, "printer-name", "Nothing");
        at = add_number(at, 0x23, "printer-state", 3);
        at = add_text(at, 0x44, "printer-state-reasons", "none");
        at = add(at, 0x22, "printer-is-accepting-jobs", "\1", 1);
        at = add_text(at, 0x44, "ipp-versions-supported", "1.1");
        at = add_text(at, 0x44, "", "2.0");
        at = add_text(at, 0x49, "document-format-supported", "application/vnd.escpos");
        at = add_text(at, 0x49, "", "application/octet-stream");
        at = add_number(at, 0x23, "operations-supported", 0x0002);
        at = add_number(at, 0x23, "", 0x0009);
        at = add_number(at, 0x23, "", 0x000B);
    } else {
        uint32_t job = ++jobs;
        char uri[64];
        snprintf(uri, sizeof uri, "ipp://localhost/ipp/print/%u", job);
        *at++ = 0x02;
        at = add_number(at, 0x21, "job-id", job);
        at = add_text(at, 0x45, "job-uri", uri);
        at = add_number(at, 0x23, "job-state", 9);
        at = add_text(at, 0x44, "job-state-reasons", "job-completed-successfully");
    }
    *at++ = 0x03;
    return (size_t)(at - out);
}

static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument, on = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    char *head = malloc(largest_head + largest_body);
    size_t have = 0;
    for (;;) {
        char *end;
        while (head[have] = 0, !(end = strstr(head, "\r\n\r\n"))) {
            ssize_t count = have < largest_head ? recv(connection, head + have, largest_head - have, 0) : 0;
            if (count <= 0) goto done;
            have += (size_t)count;
        }
        char *field = strcasestr(head, "\r\ncontent-length:");
        size_t head_length = (size_t)(end + 4 - head), body = field && field < end ? strtoul(field + 17, NULL, 10) : 0;
        if (body < 9 || body > largest_body - 1) goto done;
        while (have < head_length + body) {
            ssize_t count = recv(connection, head + have, head_length + body - have, 0);
            if (count <= 0) goto done;
            have += (size_t)count;
        }
        unsigned char message[1024];
        char out[2048];
        size_t length = make_response((unsigned char *)head + head_length, message);
        int first = snprintf(
            out, sizeof out, "HTTP/1.1 200 OK\r\nContent-Type: application/ipp\r\nContent-Length: %zu\r\n\r\n", length);
        memcpy(out + first, message, length);
        if (send(connection, out, (size_t)first + length, MSG_NOSIGNAL) < 0) goto done;
        have = 0;
    }
done:
    free(head);
    close(connection);
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "printer PORT\n"), 64;
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&place, sizeof place) || listen(listener, 64)) fail("printer: listen");
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        pthread_t thread;
        if (connection < 0) fail("printer: accept");
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection)) fail("printer: thread");
        pthread_detach(thread);
    }
}
