// A disk with a cache that forgets when the power goes: a file system with a single file, "disk", to mount an image from
// through the loop driver, which asks for a fsync of the file where the image's file system asks the disk to flush.
//
//   power_disk FOLDER IMAGE        (as root; says "ready" when FOLDER/disk is there; ends with its input)
//
// A line on its input, "cut PATH SEED PROCESS", is the loss of power: PROCESS is killed, and PATH becomes what the disk then
// holds. That is all that was written before the last flush, and of what was written since any sectors, in any order, as a
// disk's cache may have saved them: none, all, or every other by chance, as SEED says. Nothing is flushed meanwhile.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SECTOR = 512, MAX_WRITE = 128 * 1024, DISK = 2 };

// What a reader of the disk sees, and what would be left of it.
static char *seen, *durable;
static size_t size;
static int device;

// What was written since the last flush, in order.
static struct piece { size_t offset, length; char *bytes; } *pieces;
static size_t count, room;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void flush_cache(void)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(durable + pieces[i].offset, pieces[i].bytes, pieces[i].length);
        free(pieces[i].bytes);
    }
    count = 0;
}

static int write_cached(size_t offset, const char *bytes, size_t length)
{
    if (offset > size || length > size - offset)
        return -ENOSPC;
    if (count == room) {
        room = room ? room * 2 : 1024;
        pieces = realloc(pieces, room * sizeof *pieces);
    }
    char *copy = malloc(length);
    if (!pieces || !copy)
        fail("malloc");
    memcpy(copy, bytes, length);
    memcpy(seen + offset, bytes, length);
    pieces[count++] = (struct piece){offset, length, copy};
    return 0;
}

static void cut(char *line)
{
    char path[4096];
    unsigned seed;
    int process;
    if (sscanf(line, "cut %4095s %u %d", path, &seed, &process) != 3) {
        puts("error: cut PATH SEED PROCESS");
        return;
    }
    if (process > 1)
        kill(process, SIGKILL);
    char *left = malloc(size);
    FILE *file = fopen(path, "w");
    if (!left || !file)
        fail(path);
    memcpy(left, durable, size);
    size_t unsafe = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t at = 0; at < pieces[i].length; at += SECTOR, unsafe++)
            if (seed % 3 == 1 || (seed % 3 == 2 && rand_r(&seed) / 4096 % 2))
                memcpy(left + pieces[i].offset + at, pieces[i].bytes + at, SECTOR);
    if (fwrite(left, 1, size, file) != size || fclose(file))
        fail(path);
    free(left);
    printf("cut %zu\n", unsafe);
}

static void answer(const struct fuse_in_header *in, int error, const void *body, size_t length)
{
    struct fuse_out_header out = {.len = sizeof out + (error ? 0 : length), .error = error, .unique = in->unique};
    struct iovec parts[] = {{&out, sizeof out}, {(void *)body, length}};
    // It fails where nobody waits for the answer any more.
    if (writev(device, parts, error || !length ? 1 : 2) < 0 && errno != ENOENT)
        fail("answer");
}

static struct fuse_attr attributes(uint64_t node)
{
    int is_disk = node == DISK;
    return (struct fuse_attr){
        .ino = node, .size = is_disk ? size : 0, .blocks = is_disk ? size / SECTOR : 0, .blksize = 4096,
        .mode = is_disk ? S_IFREG | 0600 : S_IFDIR | 0700, .nlink = 1};
}

static void serve(char *request)
{
    const struct fuse_in_header *in = (void *)request;
    char *body = request + sizeof *in;
    switch (in->opcode) {
    case FUSE_INIT: {
        struct fuse_init_in *init = (void *)body;
        struct fuse_init_out out = {
            .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_readahead = init->max_readahead,
            .flags = FUSE_BIG_WRITES, .max_background = 64, .congestion_threshold = 48, .max_write = MAX_WRITE, .time_gran = 1};
        answer(in, 0, &out, sizeof out);
        break;
    }
    case FUSE_LOOKUP: {
        struct fuse_entry_out out = {.nodeid = DISK, .attr_valid = 3600, .entry_valid = 3600, .attr = attributes(DISK)};
        answer(in, strcmp(body, "disk") ? -ENOENT : 0, &out, sizeof out);
        break;
    }
    case FUSE_GETATTR: {
        struct fuse_attr_out out = {.attr_valid = 3600, .attr = attributes(in->nodeid)};
        answer(in, 0, &out, sizeof out);
        break;
    }
    case FUSE_OPEN: {
        // The kernel keeps nothing of the file: each write of the loop driver's comes here as it is.
        struct fuse_open_out out = {.open_flags = FOPEN_DIRECT_IO};
        answer(in, 0, &out, sizeof out);
        break;
    }
    case FUSE_READ: {
        struct fuse_read_in *read = (void *)body;
        size_t offset = read->offset < size ? read->offset : size;
        answer(in, 0, seen + offset, read->size < size - offset ? read->size : size - offset);
        break;
    }
    case FUSE_WRITE: {
        struct fuse_write_in *write = (void *)body;
        struct fuse_write_out out = {.size = write->size};
        answer(in, write_cached(write->offset, body + sizeof *write, write->size), &out, sizeof out);
        break;
    }
    case FUSE_FSYNC:
        flush_cache();
        answer(in, 0, NULL, 0);
        break;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
    case FUSE_ACCESS:
        answer(in, 0, NULL, 0);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break;
    default:
        answer(in, -ENOSYS, NULL, 0);
    }
}

int main(int arguments, char **argument)
{
    if (arguments != 3)
        return 64;
    int image = open(argument[2], O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (image < 0 || fstat(image, &status))
        fail(argument[2]);
    size = status.st_size;
    seen = malloc(size);
    durable = malloc(size);
    if (!seen || !durable || size % SECTOR)
        fail("size");
    for (size_t done = 0; done < size;) {
        ssize_t got = read(image, seen + done, size - done);
        if (got <= 0)
            fail(argument[2]);
        done += got;
    }
    memcpy(durable, seen, size);
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    char options[128];
    snprintf(options, sizeof options, "fd=%d,rootmode=40700,user_id=0,group_id=0", device);
    if (device < 0 || mount("power_disk", argument[1], "fuse", MS_NOSUID | MS_NODEV, options))
        fail("mount");
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    static char request[MAX_WRITE + 4096];
    struct pollfd files[] = {{.fd = device, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    while (poll(files, 2, -1) > 0 || errno == EINTR) {
        if (files[1].revents) {
            char line[8192];
            if (!fgets(line, sizeof line, stdin))
                break;
            cut(line);
        }
        if (files[0].revents & POLLIN) {
            ssize_t got = read(device, request, sizeof request);
            if (got >= (ssize_t)sizeof(struct fuse_in_header))
                serve(request);
        } else if (files[0].revents)
            break;
    }
    umount2(argument[1], MNT_DETACH);
    return 0;
}
