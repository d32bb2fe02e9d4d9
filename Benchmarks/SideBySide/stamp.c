// The print command of the measured printers (ippeveprinter -c): says when a document had arrived and when it was printed.
//
//   stamp DOCUMENT      next to it: stamp.socket, where the stamps go; delay, an optional file with milliseconds of "printing"
//
// One datagram each, "arrived LABEL NANOSECONDS" and "printed LABEL NANOSECONDS" (CLOCK_MONOTONIC, so that every
// process of the machine has the same clock); LABEL is the first word of the document. Linked statically: it starts in
// a fraction of a millisecond, the same for every candidate.
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void send_stamp(int socket_fd, const struct sockaddr_un *address, const char *event, const char *label, long long time) {
    char text[128];
    int length = snprintf(text, sizeof text, "%s %s %lld", event, label, time);
    if (sendto(socket_fd, text, (size_t)length, 0, (const struct sockaddr *)address, sizeof *address) < 0) perror("stamp: sendto");
}

int main(int count, char **arguments) {
    long long arrived = now();
    if (count != 2) {
        fprintf(stderr, "usage: stamp DOCUMENT\n");
        return 64;
    }
    char label[32] = "";
    FILE *document = fopen(arguments[1], "rb");
    if (!document || fscanf(document, "%31s", label) != 1) {
        perror(arguments[1]);
        return 1;
    }

    char program[256];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0) return 1;
    program[length] = 0;
    const char *folder = dirname(program);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s/stamp.socket", folder) >= (int)sizeof address.sun_path) return 1;
    int socket_fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (socket_fd < 0) return 1;
    send_stamp(socket_fd, &address, "arrived", label, arrived);

    char path[300];
    snprintf(path, sizeof path, "%s/delay", folder);
    FILE *delay = fopen(path, "r");
    long milliseconds = 0;
    if (delay && fscanf(delay, "%ld", &milliseconds) == 1 && milliseconds > 0) {
        struct timespec rest = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
        nanosleep(&rest, NULL);
    }
    send_stamp(socket_fd, &address, "printed", label, now());
    return 0;
}
