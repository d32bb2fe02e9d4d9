// IPP printers that cost next to nothing: what is measured beside them is the spooler's.
//
//   null_printer COUNT [FORMAT]    prints "PORT PORT …", one port on 127.0.0.1 for each printer, and serves them; they take ESC/POS and text,
//                                  or else only FORMAT, such as image/pwg-raster
//
// A document is printed when its last byte has come: its job is completed in the response. It reads orders from standard
// input and replies to each with one line; times are CLOCK_MONOTONIC nanoseconds.
//
//   await COUNT     until so many documents have come since the last await or forget    → "LAST-BYTE-OF-THE-LAST DOUBLES FIRST-BYTE-OF-THE-LAST"
//   label NUMBER    until the document with this label (its first six digits) has come  → "FIRST-BYTE LAST-BYTE"
//   forget          of all documents up to now                                          → "COUNT"
//
// The first byte is that of the request which brings the document.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { maximum_printers = 32, maximum_connections = 512, labels = 1000000, capacity = 1 << 18 };

// A connection, the printer that it belongs to, and the request that it is reading.
struct line {
    int printer, job;
    int is_continued;
    size_t filled;
    long long begun;
    unsigned char request[capacity];
};

static struct pollfd polled[1 + maximum_printers + maximum_connections];
static struct line lines[maximum_connections];
static int printers, ports[maximum_printers], last_job[maximum_printers];
static long long first_byte[labels], last_byte[labels];
static long arrived, doubles;
static long long latest, latest_begun;
static const char *only_format;
static long awaited = -1, wanted_label = -1;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static void listen_on_loopback(int printer) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) || listen(fd, 128)
        || getsockname(fd, (struct sockaddr *)&address, &length)) give_up("listen");
    ports[printer] = ntohs(address.sin_port);
    polled[1 + printer] = (struct pollfd){.fd = fd, .events = POLLIN};
    printf("%d%c", ports[printer], printer + 1 < printers ? ' ' : '\n');
}

// MARK: IPP

static unsigned char response[4096];
static size_t response_length;

static void put(const void *bytes, size_t length) {
    if (response_length + length > sizeof response) abort();
    memcpy(response + response_length, bytes, length);
    response_length += length;
}

static void put_number(unsigned long value, int bytes) {
    while (bytes-- > 0) put(&(unsigned char){(unsigned char)(value >> 8 * bytes)}, 1);
}

static void put_text(int tag, const char *name, const char *value) {
    put_number((unsigned)tag, 1);
    put_number(strlen(name), 2);
    put(name, strlen(name));
    put_number(strlen(value), 2);
    put(value, strlen(value));
}

static void put_integer(int tag, const char *name, int value) {
    put_number((unsigned)tag, 1);
    put_number(strlen(name), 2);
    put(name, strlen(name));
    put_number(4, 2);
    put_number((unsigned)value, 4);
}

static void put_job(int printer, int job) {
    char uri[64];
    snprintf(uri, sizeof uri, "ipp://127.0.0.1:%d/jobs/%d", ports[printer], job);
    put_number(0x02, 1);
    put_integer(0x21, "job-id", job);
    put_text(0x45, "job-uri", uri);
    put_integer(0x23, "job-state", 9);
    put_text(0x44, "job-state-reasons", "job-completed-successfully");
}

static void put_printer(int printer) {
    static const int operations[] = {0x02, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0B};
    static const char *const formats[] = {"application/octet-stream", "application/vnd.escpos", "text/plain"};
    char uri[64];
    snprintf(uri, sizeof uri, "ipp://127.0.0.1:%d/ipp/print", ports[printer]);
    put_number(0x04, 1);
    put_text(0x45, "printer-uri-supported", uri);
    put_text(0x44, "uri-security-supported", "none");
    put_text(0x44, "uri-authentication-supported", "none");
    put_text(0x42, "printer-name", "Null");
    put_text(0x41, "printer-make-and-model", "Null Printer");
    put_integer(0x23, "printer-state", 3);
    put_text(0x44, "printer-state-reasons", "none");
    put_text(0x44, "ipp-versions-supported", "1.1");
    put_text(0x44, "", "2.0");
    put_text(0x47, "charset-configured", "utf-8");
    put_text(0x47, "charset-supported", "utf-8");
    put_text(0x48, "natural-language-configured", "en");
    put_text(0x49, "document-format-default", only_format ? only_format : formats[0]);
    for (size_t index = 0; index < (only_format ? 1 : sizeof formats / sizeof *formats); ++index)
        put_text(0x49, index ? "" : "document-format-supported", only_format ? only_format : formats[index]);
    for (size_t index = 0; index < sizeof operations / sizeof *operations; ++index)
        put_integer(0x23, index ? "" : "operations-supported", operations[index]);
    put_number(0x22, 1), put_number(25, 2), put("printer-is-accepting-jobs", 25), put_number(1, 2), put_number(1, 1);
    put_integer(0x21, "queued-job-count", 0);
    put_integer(0x21, "printer-up-time", 1);
    put_text(0x44, "compression-supported", "none");
}

static void note_document(const unsigned char *document, size_t length, long long begun) {
    latest = now();
    latest_begun = begun;
    ++arrived;
    if (length < 6 || strspn((const char *)document, "0123456789") < 6) return;
    long label = 0;
    for (int digit = 0; digit < 6; ++digit) label = label * 10 + (document[digit] - '0');
    if (last_byte[label]) {
        ++doubles;
        return;
    }
    first_byte[label] = begun;
    last_byte[label] = latest;
}

// Where the document begins; NULL for attributes that make no sense.
static const unsigned char *skip_attributes(const unsigned char *at, const unsigned char *end) {
    while (at < end && *at != 0x03) {
        if (*at++ < 0x10) continue;
        for (int part = 0; part < 2; ++part) {  // the name and the value
            if (end - at < 2 || end - at - 2 < (at[0] << 8 | at[1])) return NULL;
            at += 2 + (at[0] << 8 | at[1]);
        }
    }
    return at < end ? at + 1 : NULL;
}

// The job that is asked for, else the last one of this connection.
static int asked_job(const struct line *line, const unsigned char *message, size_t length) {
    const unsigned char *name = memmem(message, length, "\0\6job-id\0\4", 10);
    if (!name || message + length - name < 14) return line->job;
    return name[10] << 24 | name[11] << 16 | name[12] << 8 | name[13];
}

static void serve(struct line *line, const unsigned char *message, size_t length) {
    const unsigned char *document = length < 9 ? NULL : skip_attributes(message + 8, message + length);
    int operation = document ? message[2] << 8 | message[3] : 0, status = 0;
    response_length = 0;
    put_number(0x0200, 2);
    if (operation == 0x08) status = 0x0404;  // Cancel-Job: all are completed.
    else if (operation < 0x02 || operation > 0x0B || operation == 0x03 || operation == 0x07) status = 0x0501;
    put_number((unsigned)status, 2);
    put(document ? message + 4 : (const unsigned char *)"\0\0\0", 4);
    put_number(0x01, 1);
    put_text(0x47, "attributes-charset", "utf-8");
    put_text(0x48, "attributes-natural-language", "en");
    if (operation == 0x02 || operation == 0x05) line->job = ++last_job[line->printer];
    if (operation == 0x02 || operation == 0x06) note_document(document, (size_t)(message + length - document), line->begun);
    if (operation == 0x06 || operation == 0x09) line->job = asked_job(line, message, length);
    if (operation == 0x02 || operation == 0x05 || operation == 0x06 || operation == 0x09) put_job(line->printer, line->job);
    if (operation == 0x0B) put_printer(line->printer);
    put_number(0x03, 1);
}

// MARK: HTTP

static void hang_up(int index) {
    close(polled[1 + printers + index].fd);
    polled[1 + printers + index].fd = -1;
}

// False when the client is gone.
static int reply(int fd) {
    char head[160];
    int length = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: application/ipp\r\nContent-Length: %zu\r\n\r\n",
                          response_length);
    static char whole[sizeof response + sizeof head];
    memcpy(whole, head, (size_t)length);
    memcpy(whole + length, response, response_length);
    return send(fd, whole, (size_t)length + response_length, MSG_NOSIGNAL) >= 0;
}

// The body's length once it is whole, -1 before; *used counts what of the buffer was the body. Chunks are joined in `body`.
static long whole_body(const unsigned char *at, size_t length, const char *head, unsigned char *body, size_t *used) {
    char *field = strcasestr(head, "\r\ncontent-length:");
    if (field) {
        *used = strtoul(field + 17, NULL, 10);
        if (length < *used) return -1;
        memcpy(body, at, *used);
        return (long)*used;
    }
    if (!strcasestr(head, "\r\ntransfer-encoding: chunked")) return *used = 0;
    long joined = 0;
    for (const unsigned char *from = at, *end = at + length;;) {
        unsigned char *eol = memmem(from, (size_t)(end - from), "\r\n", 2);
        if (!eol) return -1;
        size_t chunk = strtoul((const char *)from, NULL, 16);
        if ((size_t)(end - eol) < chunk + 4) return -1;
        memcpy(body + joined, eol + 2, chunk);
        joined += (long)chunk;
        from = eol + 2 + chunk + 2;
        if (chunk == 0) return *used = (size_t)(from - at), joined;
    }
}

static void read_line(int index) {
    static unsigned char body[capacity];
    static char head[8192];
    struct line *line = &lines[index];
    int fd = polled[1 + printers + index].fd;
    long long time = now();
    ssize_t count = recv(fd, line->request + line->filled, capacity - 1 - line->filled, 0);
    if (count <= 0) return hang_up(index);
    if (line->filled == 0) line->begun = time;
    line->filled += (size_t)count;
    for (;;) {
        line->request[line->filled] = 0;
        unsigned char *end = memmem(line->request, line->filled, "\r\n\r\n", 4);
        if (!end || (size_t)(end - line->request) + 5 > sizeof head) return;
        size_t length = (size_t)(end + 4 - line->request), used = 0;
        memcpy(head, line->request, length);
        head[length] = 0;
        if (!line->is_continued && strcasestr(head, "\r\nexpect: 100")) {
            line->is_continued = 1;
            if (send(fd, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL) < 0) return hang_up(index);
        }
        long whole = whole_body(end + 4, line->filled - length, head, body, &used);
        if (whole < 0) return;
        serve(line, body, (size_t)whole);
        if (!reply(fd)) return hang_up(index);
        memmove(line->request, line->request + length + used, line->filled - length - used);
        line->filled -= length + used;
        line->begun = time;
        line->is_continued = 0;
        if (line->filled == 0) return;
    }
}

static void take(int printer) {
    int fd = accept4(polled[1 + printer].fd, NULL, NULL, SOCK_CLOEXEC), yes = 1;
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    for (int index = 0; index < maximum_connections; ++index) {
        if (polled[1 + printers + index].fd >= 0) continue;
        polled[1 + printers + index] = (struct pollfd){.fd = fd, .events = POLLIN};
        lines[index].printer = printer;
        lines[index].filled = 0;
        lines[index].is_continued = 0;
        return;
    }
    close(fd);
}

// MARK: Orders

static void read_order(void) {
    char order[64];
    ssize_t count = read(STDIN_FILENO, order, sizeof order - 1);
    if (count <= 0) exit(0);
    order[count] = 0;
    if (sscanf(order, "await %ld", &awaited) == 1) return;
    if (sscanf(order, "label %ld", &wanted_label) == 1) return;
    printf("%ld\n", arrived);
    arrived = doubles = 0;
}

static void report(void) {
    if (awaited >= 0 && arrived >= awaited) {
        printf("%lld %ld %lld\n", latest, doubles, latest_begun);
        arrived = doubles = 0;
        awaited = -1;
    }
    if (wanted_label >= 0 && last_byte[wanted_label]) {
        printf("%lld %lld\n", first_byte[wanted_label], last_byte[wanted_label]);
        wanted_label = -1;
    }
    fflush(stdout);
}

int main(int count, char **arguments) {
    printers = count == 2 || count == 3 ? atoi(arguments[1]) : 0;
    only_format = count == 3 ? arguments[2] : NULL;
    if (printers < 1 || printers > maximum_printers) {
        fprintf(stderr, "usage: null_printer COUNT [FORMAT]\n");
        return 64;
    }
    polled[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    for (int printer = 0; printer < printers; ++printer) listen_on_loopback(printer);
    for (int index = 0; index < maximum_connections; ++index) polled[1 + printers + index].fd = -1;
    fflush(stdout);
    for (;;) {
        if (poll(polled, (nfds_t)(1 + printers + maximum_connections), -1) < 0) give_up("poll");
        if (polled[0].revents) read_order();
        for (int printer = 0; printer < printers; ++printer)
            if (polled[1 + printer].revents) take(printer);
        for (int index = 0; index < maximum_connections; ++index)
            if (polled[1 + printers + index].fd >= 0 && polled[1 + printers + index].revents) read_line(index);
        report();
    }
}
