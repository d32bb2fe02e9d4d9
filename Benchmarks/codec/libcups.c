// Prints, for the message in the file it is given, nanoseconds for each ippRead and ippWrite of libcups, from and to memory.
#include <cups/cups.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    unsigned char *bytes;
    size_t size, index;
} memory_t;

static ssize_t from_memory(void *context, ipp_uchar_t *buffer, size_t count) {
    memory_t *memory = context;
    size_t left = memory->size - memory->index;
    if (count > left) count = left;
    memcpy(buffer, memory->bytes + memory->index, count);
    memory->index += count;
    return (ssize_t)count;
}

static ssize_t to_memory(void *context, ipp_uchar_t *buffer, size_t count) {
    memory_t *memory = context;
    if (count > memory->size - memory->index) return -1;
    memcpy(memory->bytes + memory->index, buffer, count);
    memory->index += count;
    return (ssize_t)count;
}

static ipp_t *read_message(memory_t *memory) {
    ipp_t *ipp = ippNew();
    memory->index = 0;
    if (ippReadIO(memory, from_memory, 1, NULL, ipp) != IPP_STATE_DATA) {
        fprintf(stderr, "ippReadIO: %s\n", cupsLastErrorString());
        exit(1);
    }
    return ipp;
}

static void write_message(memory_t *memory, ipp_t *ipp) {
    memory->index = 0;
    ippSetState(ipp, IPP_STATE_IDLE);
    if (ippWriteIO(memory, to_memory, 1, NULL, ipp) != IPP_STATE_DATA) {
        fprintf(stderr, "ippWriteIO: %s\n", cupsLastErrorString());
        exit(1);
    }
}

// Nanoseconds of this process, as CodecBenchmark counts.
static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: libcups MESSAGE MILLISECONDS\n");
        return 64;
    }
    static unsigned char input[1 << 20], output[1 << 20];
    FILE *file = fopen(argv[1], "rb");
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    memory_t source = {input, fread(input, 1, sizeof input, file), 0}, sink = {output, sizeof output, 0};
    fclose(file);
    long long duration = atoll(argv[2]) * 1000000LL, start, count;

    ipp_t *ipp = read_message(&source);
    write_message(&sink, ipp);
    if (sink.index != source.index || memcmp(input, output, sink.index)) {
        fprintf(stderr, "libcups wrote other octets than it read\n");
        return 1;
    }
    for (count = 0, start = now(); now() - start < duration; count += 100)
        for (int i = 0; i < 100; i++) ippDelete(read_message(&source));
    printf("decode %lld\n", (now() - start) / count);
    for (count = 0, start = now(); now() - start < duration; count += 100)
        for (int i = 0; i < 100; i++) write_message(&sink, ipp);
    printf("encode %lld\n", (now() - start) / count);
    ippDelete(ipp);
    return 0;
}
