// Printing takes time, which this check passes itself: back-pressure, completion, and the order of answers.
#include <string.h>

#include "support.h"

static libusb_device_handle *handle;

// Writes with a short time-out and returns what was taken of it.
static int write_some(const uint8_t *bytes, int count, int code) {
    int taken = 0;
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, (unsigned char *)bytes, count, &taken, SHORT), code);
    return taken;
}

static void check_back_pressure(void) {
    static uint8_t text[10240];
    memset(text, 'x', sizeof text);
    control("0 speed 1024");
    control("0 buffer 2048");
    int taken = write_some(text, sizeof text, LIBUSB_ERROR_TIMEOUT);
    EXPECT(taken == 2048, "%d bytes fill the buffer", taken);
    EXPECT(write_some(text, 512, LIBUSB_ERROR_TIMEOUT) == 0, "a full buffer");
    control("bus advance 1000");
    EXPECT(statistic("0", "printed") == 1024, "after a second");
    EXPECT(write_some(text, 2048, LIBUSB_ERROR_TIMEOUT) == 1024, "as much as was printed");
    // Minutes in which nothing moves, for want of paper.
    control("0 paper-out on");
    control("bus advance 600000");
    EXPECT(statistic("0", "printed") == 1024, "without paper");
    EXPECT(write_some(text, 512, LIBUSB_ERROR_TIMEOUT) == 0, "without paper");
    control("0 paper-out off");
    control("bus advance 500");
    EXPECT(statistic("0", "printed") == 1536, "half a second with paper");
    control("bus advance 10000");
    EXPECT(statistic("0", "printed") == 3072 && statistic("0", "waiting") == 0, "all of it");
    // It could have gone on for 8.5 of these ten seconds.
    EXPECT(write_some(text, 512, LIBUSB_SUCCESS) == 512, "for an empty buffer");
    EXPECT(strstr(control("0 stats"), " pauses=3072:85000") != NULL, "%s", control("0 stats"));
    control("bus advance 1000");
}

static void check_completion(void) {
    uint8_t bytes[64];
    control("0 speed 100");
    control("0 lead 20");
    // Ten bytes, GS r 1, ten bytes, GS ( H.
    WRITE(handle, '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 0x1D, 'r', 1, //
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 0x1D, '(', 'H', 6, 0, 48, 48, 'A', 'B', 'C', 'D');
    // Processed ahead of the paper.
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x00);
    EXPECT(statistic("0", "processed") - statistic("0", "printed") == 20, "the interpreter's lead");
    control("bus advance 330");
    EXPECT(is_silent(handle), "33 of 34 bytes are printed");
    control("bus advance 10");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x37, 0x22, 'A', 'B', 'C', 'D', 0);
}

static void check_delay(void) {
    control("0 speed 0");
    control("0 delay 50");
    // Taken, and yet not told before the time-out.
    EXPECT(write_some((const uint8_t *)"abc", 3, LIBUSB_ERROR_TIMEOUT) == 3, "taken without a word");
    control("0 delay 0");
}

int main(void) {
    libusb_context *context = start_libusb();
    handle = open_printer(context);
    check_back_pressure();
    check_completion();
    check_delay();
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
