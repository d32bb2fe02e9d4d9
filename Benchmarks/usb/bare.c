// What libusb alone reaches: sends a document to the printer with a serial number, and prints how many seconds that took.
//
//   bare SERIAL BYTES CHUNK DEPTH      (DEPTH transfers of CHUNK bytes under way; DEPTH 0: one blocking call for it all)
#include <libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static libusb_device_handle *handle;
static unsigned char *document;
static int left, under_way, chunk;

static void fail(const char *what, int code) {
    fprintf(stderr, "bare: %s: %s\n", what, libusb_strerror(code));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static libusb_device_handle *open_printer(libusb_context *context, const char *serial) {
    libusb_device **devices;
    ssize_t count = libusb_get_device_list(context, &devices);
    libusb_device_handle *found = NULL;
    for (ssize_t i = 0; i < count && found == NULL; i++) {
        struct libusb_device_descriptor descriptor;
        unsigned char text[256] = "";
        libusb_get_device_descriptor(devices[i], &descriptor);
        if (descriptor.iSerialNumber == 0 || libusb_open(devices[i], &found) != 0) continue;
        libusb_get_string_descriptor_ascii(found, descriptor.iSerialNumber, text, sizeof text);
        if (strcmp((char *)text, serial) == 0) continue;
        libusb_close(found);
        found = NULL;
    }
    libusb_free_device_list(devices, 1);
    return found;
}

static void submit(struct libusb_transfer *transfer);

static void ended(struct libusb_transfer *transfer) {
    under_way--;
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED) fail("transfer", LIBUSB_ERROR_IO);
    submit(transfer);
}

static void submit(struct libusb_transfer *transfer) {
    if (left == 0) return;
    int length = left < chunk ? left : chunk;
    libusb_fill_bulk_transfer(transfer, handle, 1, document, length, ended, NULL, 0);
    int code = libusb_submit_transfer(transfer);
    if (code != 0) fail("libusb_submit_transfer", code);
    left -= length;
    document += length;
    under_way++;
}

int main(int count, char **arguments) {
    if (count != 5) return fprintf(stderr, "bare SERIAL BYTES CHUNK DEPTH\n"), 64;
    int bytes = atoi(arguments[2]), depth = atoi(arguments[4]);
    libusb_context *context;
    int code = libusb_init(&context);
    if (code != 0) fail("libusb_init", code);
    handle = open_printer(context, arguments[1]);
    if (handle == NULL) fail("open", LIBUSB_ERROR_NOT_FOUND);
    if ((code = libusb_claim_interface(handle, 0)) != 0) fail("libusb_claim_interface", code);
    document = calloc(1, (size_t)bytes);
    left = bytes;
    chunk = atoi(arguments[3]);
    double start = now();
    if (depth == 0) {
        int taken;
        if ((code = libusb_bulk_transfer(handle, 1, document, bytes, &taken, 0)) != 0) fail("libusb_bulk_transfer", code);
    }
    for (int i = 0; i < depth; i++) submit(libusb_alloc_transfer(0));
    while (under_way > 0) libusb_handle_events(context);
    printf("%.6f\n", now() - start);
    libusb_close(handle);
    libusb_exit(context);
}
