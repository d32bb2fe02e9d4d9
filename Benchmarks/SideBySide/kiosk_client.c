// A till's HTTP client that keeps its connection to kioskd's Unix socket, and the load of many of them.
//
//   kiosk_client SOCKET TARGET FORMAT FILE      TARGET is the request target, /v1/jobs?role=receipt
//
// It reads orders from standard input and replies to each with one line; times are CLOCK_MONOTONIC nanoseconds.
//
//   print LABEL                sends FILE with LABEL in the place of its first ######   → "BEGUN ANSWERED JOB-ID"
//   many FIRST COUNT           the same for COUNT receipts, one after the other          → "BEGUN ANSWERED LAST-JOB-ID"
//   load CLIENTS COUNT         COUNT receipts over CLIENTS connections at a time         → "ACCEPTED NANOSECONDS"
//
// A load's receipts keep their ######.
// A receipt that is refused ends the program: it would be no receipt.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { maximum_clients = 256 };

static const char *socket_path;
static char *request;
static size_t request_length;
static char *label_place;

// A connection and how much of a response it has read.
struct connection {
    int fd;
    size_t filled;
    char response[8192];
};

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void give_up(const char *what) {
    fprintf(stderr, "kiosk_client: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
    exit(1);
}

static void prepare_request(const char *target, const char *format, const char *path) {
    static char document[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) give_up(path);
    size_t length = fread(document, 1, sizeof document, file);
    fclose(file);
    request = malloc(length + 4096);
    if (!request) give_up("malloc");
    int head = snprintf(request, 4096,
                        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", target,
                        format, length);
    memcpy(request + head, document, length);
    request_length = (size_t)head + length;
    label_place = memmem(request + head, length, "######", 6);
    if (!label_place) give_up("the document has no ###### for its label");
}

static void open_connection(struct connection *connection) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
    connection->filled = 0;
    connection->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0 || connect(connection->fd, (struct sockaddr *)&address, sizeof address) < 0) give_up(socket_path);
}

// Opens the connection anew where kioskd has closed it, as it does with one that was idle for a minute.
static void reopen_if_closed(struct connection *connection) {
    char byte;
    if (recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0) return;
    close(connection->fd);
    open_connection(connection);
}

static void send_request(struct connection *connection) {
    for (size_t sent = 0; sent < request_length;) {
        ssize_t count = write(connection->fd, request + sent, request_length - sent);
        if (count < 0 && errno != EINTR) give_up("write");
        if (count > 0) sent += (size_t)count;
    }
}

// Reads what is there; true when the response is whole. Anything but a 2xx ends the program.
static int read_response(struct connection *connection) {
    ssize_t count = read(connection->fd, connection->response + connection->filled, sizeof connection->response - 1 - connection->filled);
    if (count <= 0) give_up("read");
    connection->filled += (size_t)count;
    connection->response[connection->filled] = 0;
    char *end = strstr(connection->response, "\r\n\r\n");
    if (!end) return 0;
    char *field = strcasestr(connection->response, "\r\ncontent-length:");
    if (!field || field > end) {
        fprintf(stderr, "kiosk_client: a response without Content-Length: %s\n", connection->response);
        exit(1);
    }
    size_t whole = (size_t)(end + 4 - connection->response) + strtoul(field + 17, NULL, 10);
    if (connection->filled < whole) {
        if (whole >= sizeof connection->response) give_up("a very long response");
        return 0;
    }
    if (strncmp(connection->response, "HTTP/1.1 2", 10) != 0) {
        fprintf(stderr, "kiosk_client: refused: %s\n", connection->response);
        exit(1);
    }
    connection->filled = 0;
    return 1;
}

// The `id` of the job that the last response's JSON tells of.
static long job_id(const struct connection *connection) {
    char *field = strstr(connection->response, "\"id\"");
    return field ? strtol(field + strcspn(field, "0123456789"), NULL, 10) : 0;
}

static void print_many(struct connection *connection, int first, int count) {
    reopen_if_closed(connection);
    long long begun = now();
    for (int number = first; number < first + count; ++number) {
        char label[16];
        snprintf(label, sizeof label, "%06d", number % 1000000);
        memcpy(label_place, label, 6);
        send_request(connection);
        while (!read_response(connection)) {}
    }
    long long responded = now();
    printf("%lld %lld %ld\n", begun, responded, job_id(connection));
}

static void load(int clients, long count) {
    static struct connection connections[maximum_clients];
    struct pollfd events[maximum_clients];
    if (clients < 1 || clients > maximum_clients || count < clients) give_up("number of clients");
    for (int index = 0; index < clients; ++index) {
        open_connection(&connections[index]);
        events[index] = (struct pollfd){.fd = connections[index].fd, .events = POLLIN};
    }
    long long begun = now();
    long asked = clients, accepted = 0;
    for (int index = 0; index < clients; ++index) send_request(&connections[index]);
    while (accepted < count) {
        if (poll(events, (nfds_t)clients, 30000) <= 0) give_up("no response within 30 s");
        for (int index = 0; index < clients; ++index) {
            if (!(events[index].revents & (POLLIN | POLLHUP | POLLERR)) || !read_response(&connections[index])) continue;
            ++accepted;
            if (asked < count) {
                ++asked;
                send_request(&connections[index]);
            }
        }
    }
    printf("%ld %lld\n", accepted, now() - begun);
    for (int index = 0; index < clients; ++index) close(connections[index].fd);
}

int main(int count, char **arguments) {
    char line[128];
    int first, number;
    static struct connection connection;
    if (count != 5) {
        fprintf(stderr, "usage: kiosk_client SOCKET TARGET FORMAT FILE\n");
        return 64;
    }
    socket_path = arguments[1];
    prepare_request(arguments[2], arguments[3], arguments[4]);
    open_connection(&connection);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "print %d", &first) == 1) print_many(&connection, first, 1);
        else if (sscanf(line, "many %d %d", &first, &number) == 2) print_many(&connection, first, number);
        else if (sscanf(line, "load %d %d", &first, &number) == 2) load(first, number);
        else give_up("unknown order");
        fflush(stdout);
    }
    return 0;
}
