// A reader that waits while documents go out, as a driver does: answers, cancelling, unplugging, idle cost.
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support.h"

static int completed;
static enum libusb_transfer_status status;

static void done(struct libusb_transfer *transfer) {
    status = transfer->status;
    completed++;
}

static double processor_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

int main(void) {
    static uint8_t answer[64], document[1 << 18];
    libusb_context *context = start_libusb();
    libusb_device_handle *handle = open_printer(context);
    struct libusb_transfer *reader = libusb_alloc_transfer(0);
    libusb_fill_bulk_transfer(reader, handle, IN, answer, sizeof answer, done, NULL, 0);
    EXPECT_CODE(libusb_submit_transfer(reader), 0);
    double before = processor_seconds();
    struct timeval second = {.tv_sec = 1};
    libusb_handle_events_timeout(context, &second);
    EXPECT(processor_seconds() - before < 0.05, "%.3f s of the processor in a second of waiting", processor_seconds() - before);
    memset(document, ' ', sizeof document);
    for (int i = 0; i < 10; i++) write_all(handle, document, sizeof document);
    EXPECT(completed == 0, "an answer that nobody gave");
    WRITE(handle, 0x10, 0x04, 1);
    EXPECT(wait_for_count(context, &completed, 1), "an answer");
    EXPECT_BYTES(answer, (size_t)reader->actual_length, 0x12);
    // At any moment, without being asked.
    WRITE(handle, 0x1D, 'a', 0xFF);
    EXPECT_CODE(libusb_submit_transfer(reader), 0);
    EXPECT(wait_for_count(context, &completed, 2), "automatic status");
    EXPECT_CODE(libusb_submit_transfer(reader), 0);
    control("0 cover-open on");
    EXPECT(wait_for_count(context, &completed, 3), "a change");
    EXPECT_BYTES(answer, (size_t)reader->actual_length, 0x38, 0, 0, 0);
    EXPECT_CODE(libusb_submit_transfer(reader), 0);
    EXPECT(statistic("0", "pending") == 1, "the reader");
    EXPECT_CODE(libusb_cancel_transfer(reader), 0);
    EXPECT(wait_for_count(context, &completed, 4) && status == LIBUSB_TRANSFER_CANCELLED, "status %d", status);
    EXPECT_CODE(libusb_submit_transfer(reader), 0);
    control("0 unplug");
    EXPECT(wait_for_count(context, &completed, 5) && status == LIBUSB_TRANSFER_NO_DEVICE, "status %d", status);
    libusb_free_transfer(reader);
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
