// A till's HTTP client that keeps its connection to kioskd's Unix socket, and the load of many of them.
//
//   kiosk_client SOCKET TARGET FORMAT FILE      TARGET is the request target, /v1/jobs?role=receipt
//
// It reads orders from standard input and answers each with one line; times are CLOCK_MONOTONIC nanoseconds.
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

enum { most_clients = 256 };

static const char *socket_path;
static char *request;
static size_t request_length;
static char *label_place;

// A connection and how much of an answer it has read.
struct desk {
    int fd;
    size_t filled;
    char answer[8192];
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

static void open_desk(struct desk *desk) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
    desk->filled = 0;
    desk->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (desk->fd < 0 || connect(desk->fd, (struct sockaddr *)&address, sizeof address) < 0) give_up(socket_path);
}

static void send_request(struct desk *desk) {
    for (size_t sent = 0; sent < request_length;) {
        ssize_t count = write(desk->fd, request + sent, request_length - sent);
        if (count < 0 && errno != EINTR) give_up("write");
        if (count > 0) sent += (size_t)count;
    }
}

// Reads what is there; true when the answer is whole. Anything but a 2xx ends the program.
static int read_answer(struct desk *desk) {
    ssize_t count = read(desk->fd, desk->answer + desk->filled, sizeof desk->answer - 1 - desk->filled);
    if (count <= 0) give_up("read");
    desk->filled += (size_t)count;
    desk->answer[desk->filled] = 0;
    char *end = strstr(desk->answer, "\r\n\r\n");
    if (!end) return 0;
    char *field = strcasestr(desk->answer, "\r\ncontent-length:");
    if (!field || field > end) {
        fprintf(stderr, "kiosk_client: an answer without Content-Length: %s\n", desk->answer);
        exit(1);
    }
    size_t whole = (size_t)(end + 4 - desk->answer) + strtoul(field + 17, NULL, 10);
    if (desk->filled < whole) {
        if (whole >= sizeof desk->answer) give_up("a very long answer");
        return 0;
    }
    if (strncmp(desk->answer, "HTTP/1.1 2", 10) != 0) {
        fprintf(stderr, "kiosk_client: refused: %s\n", desk->answer);
        exit(1);
    }
    desk->filled = 0;
    return 1;
}

// The `id` of the job that the last answer's JSON tells of.
static long job_id(const struct desk *desk) {
    char *field = strstr(desk->answer, "\"id\"");
    return field ? strtol(field + strcspn(field, "0123456789"), NULL, 10) : 0;
}

static void print_many(struct desk *desk, int first, int count) {
    long long begun = now();
    for (int number = first; number < first + count; ++number) {
        char label[16];
        snprintf(label, sizeof label, "%06d", number % 1000000);
        memcpy(label_place, label, 6);
        send_request(desk);
        while (!read_answer(desk)) {}
    }
    long long answered = now();
    printf("%lld %lld %ld\n", begun, answered, job_id(desk));
}

static void load(int clients, long count) {
    static struct desk desks[most_clients];
    struct pollfd events[most_clients];
    if (clients < 1 || clients > most_clients || count < clients) give_up("number of clients");
    for (int index = 0; index < clients; ++index) {
        open_desk(&desks[index]);
        events[index] = (struct pollfd){.fd = desks[index].fd, .events = POLLIN};
    }
    long long begun = now();
    long asked = clients, accepted = 0;
    for (int index = 0; index < clients; ++index) send_request(&desks[index]);
    while (accepted < count) {
        if (poll(events, (nfds_t)clients, 30000) <= 0) give_up("no answer within 30 s");
        for (int index = 0; index < clients; ++index) {
            if (!(events[index].revents & (POLLIN | POLLHUP | POLLERR)) || !read_answer(&desks[index])) continue;
            ++accepted;
            if (asked < count) {
                ++asked;
                send_request(&desks[index]);
            }
        }
    }
    printf("%ld %lld\n", accepted, now() - begun);
    for (int index = 0; index < clients; ++index) close(desks[index].fd);
}

int main(int count, char **arguments) {
    char line[128];
    int first, number;
    static struct desk desk;
    if (count != 5) {
        fprintf(stderr, "usage: kiosk_client SOCKET TARGET FORMAT FILE\n");
        return 64;
    }
    socket_path = arguments[1];
    prepare_request(arguments[2], arguments[3], arguments[4]);
    open_desk(&desk);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "print %d", &first) == 1) print_many(&desk, first, 1);
        else if (sscanf(line, "many %d %d", &first, &number) == 2) print_many(&desk, first, number);
        else if (sscanf(line, "load %d %d", &first, &number) == 2) load(first, number);
        else give_up("unknown order");
        fflush(stdout);
    }
    return 0;
}
