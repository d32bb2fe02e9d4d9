// What goes wrong with transfers: NAK, stalls, unplugging amid a transfer; each with the bytes that were taken.
#include <string.h>

#include "support.h"

static libusb_context *context;
static libusb_device_handle *handle;
static uint8_t data[8192];

static int write_some(int count, unsigned timeout, int code) {
    int taken = 0;
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, data, count, &taken, timeout), code);
    return taken;
}

static void check_credit(void) {
    control("0 credit 1536");
    EXPECT(write_some(4096, SHORT, LIBUSB_ERROR_TIMEOUT) == 1536, "three packets");
    EXPECT(write_some(512, SHORT, LIBUSB_ERROR_TIMEOUT) == 0, "none");
    control("0 credit off");
    EXPECT(write_some(4096, LONG, 0) == 4096, "all");
    // Packets are taken whole.
    control("0 credit 700");
    EXPECT(write_some(1024, SHORT, LIBUSB_ERROR_TIMEOUT) == 512, "one packet");
    control("0 credit off");
    EXPECT(strstr(control("0 transfers"), " out,1536/4096,-2") != NULL, "what the cancelled transfer came to");
}

static void check_stall_out(void) {
    control("0 stall-out 1024");
    EXPECT(write_some(4096, LONG, LIBUSB_ERROR_PIPE) == 1024, "up to the stall");
    EXPECT(write_some(512, LONG, LIBUSB_ERROR_PIPE) == 0, "until it is cleared");
    EXPECT_CODE(libusb_clear_halt(handle, OUT), 0);
    EXPECT(write_some(512, LONG, 0) == 512, "afterwards");
    EXPECT(statistic("0", "clear-halts") == 1, "counted");
}

static void check_stall_in(void) {
    uint8_t bytes[64];
    int count = 0;
    control("0 answer 01020304");
    control("0 stall-in 3");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 1, 2, 3);
    EXPECT_CODE(libusb_bulk_transfer(handle, IN, bytes, 64, &count, LONG), LIBUSB_ERROR_PIPE);
    EXPECT_CODE(libusb_clear_halt(handle, IN), 0);
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 4);
    control("0 stall-in 0");
    EXPECT_CODE(libusb_bulk_transfer(handle, IN, bytes, 64, &count, LONG), LIBUSB_ERROR_PIPE);
    // A soft reset ends a stall as well.
    EXPECT_CODE(libusb_control_transfer(handle, 0x21, 2, 0, 0, NULL, 0, LONG), 0);
    EXPECT(is_silent(handle), "no more stall");
    control("0 answer 0102030405");
    control("0 in-limit 2");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 1, 2);
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 3, 4);
    control("0 in-limit 0");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 5);
}

static void check_memory(void) {
    control("0 memory 1024");
    EXPECT(write_some(1025, LONG, LIBUSB_ERROR_NO_MEM) == 0, "none");
    EXPECT(statistic("0", "refused") == 1, "counted");
    EXPECT(write_some(1024, LONG, 0) == 1024, "as much as there is");
    EXPECT(write_some(1024, LONG, 0) == 1024, "and again, since it was given back");
    control("0 memory off");
    EXPECT(write_some(1025, LONG, 0) == 1025, "all");
}

static void check_unplug(void) {
    for (int at = 0; at <= 4096; at += 512) {
        control("0 unplug-at %d", at);
        int code = at < 4096 ? LIBUSB_ERROR_NO_DEVICE : 0;
        EXPECT(write_some(4096, LONG, code) == at, "unplugged at byte %d", at);
        if (code == 0) break;
        EXPECT(write_some(512, LONG, LIBUSB_ERROR_NO_DEVICE) == 0, "a device that is gone");
        libusb_close(handle);
        control("0 plug");
        for (int i = 0; i < 100 && count_devices(context) == 0; i++) {
            struct timeval moment = {.tv_usec = 20000};
            libusb_handle_events_timeout(context, &moment);
        }
        handle = open_printer(context);
    }
    control("0 unplug-at off");
}

// The cable alone: what the printer took, it prints. Without power it forgets.
static void check_power(void) {
    control("0 cover-open on");
    write_some(1024, LONG, 0);
    control("0 unplug");
    EXPECT(statistic("0", "waiting") == 1024, "kept");
    control("0 plug");
    control("0 power-off");
    EXPECT(statistic("0", "waiting") == 0 && statistic("0", "lost") == 1024, "forgotten");
    // After all that happened here, each byte that was taken is accounted for.
    EXPECT(statistic("0", "taken") == statistic("0", "printed") + statistic("0", "lost"), "printed or lost");
    control("0 plug");
}

int main(void) {
    control("0 language none");
    context = start_libusb();
    handle = open_printer(context);
    check_credit();
    check_stall_out();
    check_stall_in();
    check_memory();
    check_unplug();
    check_power();
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
