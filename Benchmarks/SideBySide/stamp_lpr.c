// An lpr for the remote end of the SSH comparison: takes its whole standard input and says when the last byte had come.
//
//   stamp_lpr …      STAMP_DESK in the environment names the datagram socket for the stamp. Asked what it is (-V), it is
//                    CUPS's own lpr; no other option is looked at
//
// One datagram, "arrived LABEL NANOSECONDS" (CLOCK_MONOTONIC: the remote end is this machine); LABEL is the document's
// first word. Linked statically, like stamp.c.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int main(int count_of_arguments, char **arguments) {
    if (count_of_arguments > 1 && strcmp(arguments[1], "-V") == 0) {
        execv("/usr/bin/lpr", arguments);
        return 127;
    }
    char head[32] = "", block[65536];
    size_t kept = 0;
    struct timespec time;
    ssize_t count;
    clock_gettime(CLOCK_MONOTONIC, &time);
    while ((count = read(STDIN_FILENO, block, sizeof block)) > 0) {
        clock_gettime(CLOCK_MONOTONIC, &time);
        for (ssize_t index = 0; index < count && kept < sizeof head - 1; index++) head[kept++] = block[index];
    }
    if (count < 0) return 1;
    head[strcspn(head, " \n")] = 0;

    const char *path = getenv("STAMP_DESK");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || strlen(path) >= sizeof address.sun_path) return 64;
    strcpy(address.sun_path, path);
    char text[128];
    int length = snprintf(text, sizeof text, "arrived %s %lld", head, time.tv_sec * 1000000000LL + time.tv_nsec);
    int socket_fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (socket_fd < 0 || sendto(socket_fd, text, (size_t)length, 0, (const struct sockaddr *)&address, sizeof address) < 0) return 1;
    return 0;
}
