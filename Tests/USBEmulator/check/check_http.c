// IPP over USB: a TCP server behind two interfaces, and one that answers 404.
#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support.h"

enum { BIG = 300000 };

static libusb_device_handle *handle;
static int listener;

// Sends back what it gets, in capitals; hangs up after "bye".
static void *serve(void *data) {
    int connection = (int)(intptr_t)data;
    char bytes[4096];
    for (ssize_t count; (count = recv(connection, bytes, sizeof bytes, 0)) > 0;) {
        for (ssize_t i = 0; i < count; i++) bytes[i] = (char)toupper(bytes[i]);
        if (send(connection, bytes, (size_t)count, MSG_NOSIGNAL) != count) break;
        if (count >= 3 && memcmp(bytes + count - 3, "BYE", 3) == 0) break;
    }
    close(connection);
    return NULL;
}

static void *accept_all(void *unused) {
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        pthread_t thread;
        if (connection < 0) return unused;
        pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection);
        pthread_detach(thread);
    }
}

static int start_server(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    pthread_t thread;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    bind(listener, (struct sockaddr *)&address, sizeof address);
    listen(listener, 8);
    getsockname(listener, (struct sockaddr *)&address, &length);
    pthread_create(&thread, NULL, accept_all, NULL);
    return ntohs(address.sin_port);
}

static void put(uint8_t endpoint, const char *text) {
    int taken = 0;
    EXPECT_CODE(libusb_bulk_transfer(handle, endpoint, (uint8_t *)text, (int)strlen(text), &taken, LONG), 0);
}

// Reads until as many bytes are there as are expected.
static void expect_text(uint8_t endpoint, const char *expected) {
    char text[1000] = "";
    size_t length = 0;
    while (length < strlen(expected)) {
        int count = 0;
        int code = libusb_bulk_transfer(handle, endpoint, (uint8_t *)text + length, (int)(sizeof text - 1 - length), &count, LONG);
        EXPECT_CODE(code, 0);
        if (code != 0) return;
        length += (size_t)count;
    }
    EXPECT(strcmp(text, expected) == 0, "\"%s\"", text);
}

static void check_big_answer(void) {
    uint8_t *sent = malloc(BIG), *received = malloc(BIG);
    size_t total = 0, written = 0;
    memset(sent, 'z', BIG);
    // Both ways in turn, or both would wait for the other.
    while (total < BIG) {
        int count = 0, chunk = written < BIG ? 16384 : 0;
        if ((size_t)chunk > BIG - written) chunk = (int)(BIG - written);
        if (chunk > 0) EXPECT_CODE(libusb_bulk_transfer(handle, OUT, sent + written, chunk, &count, LONG), 0);
        written += (size_t)count;
        int code = libusb_bulk_transfer(handle, IN, received + total, (int)(BIG - total), &count, LONG);
        EXPECT_CODE(code, 0);
        if (code != 0) break;
        total += (size_t)count;
    }
    EXPECT(total == BIG && received[0] == 'Z' && received[BIG - 1] == 'Z', "%zu bytes", total);
    free(sent);
    free(received);
}

static void check_refusal(void) {
    static const char refused[] =
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nnot found\n";
    control("1.1 http 404");
    put(SECOND_OUT, "GET / HTTP/1.1\r\n");
    put(SECOND_OUT, "Host: x\r\n\r\n");
    expect_text(SECOND_IN, refused);
    put(SECOND_OUT, "POST /ipp/print HTTP/1.1\r\nContent-Length: 5\r\n\r\n\r\n\r\n!");
    expect_text(SECOND_IN, refused);
    put(SECOND_OUT, "POST /ipp/print HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    put(SECOND_OUT, "10\r\n0123456789abcdef\r\n0\r\n\r\n");
    expect_text(SECOND_IN, refused);
    put(SECOND_OUT, "GET / HTTP/1.1\r\n\r\n");
    expect_text(SECOND_IN, refused);
}

int main(void) {
    int port = start_server();
    control("bus add --vendor 1234 --interface 7/1/2 --alternate 7/1/4 --http 127.0.0.1:%d --interface 7/1/4", port);
    control("1.1 http 127.0.0.1:%d", port);
    libusb_context *context = start_libusb();
    handle = open_device(context, 0x1234, 0x0E15);
    EXPECT_CODE(libusb_claim_interface(handle, 0), 0);
    EXPECT_CODE(libusb_claim_interface(handle, 1), 0);
    // The first alternate setting is a plain printer.
    WRITE(handle, 'r', 'a', 'w');
    EXPECT(statistic("1", "printed") == 3, "printed");
    EXPECT_CODE(libusb_set_interface_alt_setting(handle, 0, 1), 0);
    put(OUT, "one");
    put(SECOND_OUT, "two");
    expect_text(SECOND_IN, "TWO");
    expect_text(IN, "ONE");
    check_big_answer();
    // A server that hangs up is called again.
    put(OUT, "bye");
    expect_text(IN, "BYE");
    put(OUT, "again");
    expect_text(IN, "AGAIN");
    check_refusal();
    // Nobody there: the device's firmware gives up.
    int taken = 0;
    control("1.1 http 127.0.0.1:1");
    EXPECT_CODE(libusb_bulk_transfer(handle, SECOND_OUT, (uint8_t *)"x", 1, &taken, LONG), LIBUSB_ERROR_PIPE);
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
