// ESC/POS on the back-channel.
#include <stdio.h>
#include <string.h>

#include "support.h"

static libusb_device_handle *handle;

static size_t ask(uint8_t *bytes, const uint8_t *command, size_t count) {
    write_all(handle, command, count);
    return read_some(handle, bytes, 64);
}

#define ASK(...) ask(bytes, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void check_real_time_status(void) {
    static const struct {
        const char *condition;
        uint8_t status[4];
    } table[] = {
        {"paper-low", {0x12, 0x12, 0x12, 0x1E}},
        {"paper-out", {0x1A, 0x32, 0x12, 0x72}},
        {"cover-open", {0x1A, 0x16, 0x12, 0x12}},
        {"drawer-high", {0x16, 0x12, 0x12, 0x12}},
        {"cutter-error", {0x1A, 0x52, 0x1A, 0x12}},
        {"mechanical-error", {0x1A, 0x52, 0x16, 0x12}},
        {"overheated", {0x1A, 0x52, 0x52, 0x12}},
        {"unrecoverable-error", {0x1A, 0x52, 0x32, 0x12}},
        {"feed-button", {0x5A, 0x1A, 0x12, 0x12}},
        {"offline", {0x1A, 0x12, 0x12, 0x12}},
    };
    uint8_t bytes[64];
    for (uint8_t n = 1; n <= 4; n++) {
        EXPECT_BYTES(bytes, ASK(0x10, 0x04, n), 0x12);
    }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        control("0 %s on", table[i].condition);
        for (uint8_t n = 1; n <= 4; n++) {
            size_t count = ASK(0x10, 0x04, n);
            EXPECT(count == 1 && bytes[0] == table[i].status[n - 1], "%s, n = %d: %02x", table[i].condition, n, bytes[0]);
        }
        control("0 %s off", table[i].condition);
    }
    EXPECT(is_silent(handle), "a status that nobody asked for");
}

static void check_automatic_status(void) {
    uint8_t bytes[64];
    EXPECT_BYTES(bytes, ASK(0x1D, 'a', 0xFF), 0x10, 0, 0, 0);
    control("0 paper-low on");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x10, 0, 0x03, 0);
    control("0 cover-open on");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x38, 0, 0x03, 0);
    control("0 paper-low off");
    control("0 cover-open off");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x38, 0, 0, 0, 0x10, 0, 0, 0);
    control("0 drawer-high on");
    control("0 drawer-high on");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x14, 0, 0, 0);
    control("0 drawer-high off");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x10, 0, 0, 0);
    // Only what was asked for is reported: errors.
    EXPECT_BYTES(bytes, ASK(0x1D, 'a', 0x04), 0x10, 0, 0, 0);
    control("0 paper-low on");
    control("0 paper-low off");
    EXPECT(is_silent(handle), "a status that is not watched");
    control("0 cutter-error on");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x18, 0x08, 0, 0);
    // DLE ENQ 1: the jam was cleared.
    EXPECT_BYTES(bytes, ASK(0x10, 0x05, 1), 0x10, 0, 0, 0);
    WRITE(handle, 0x1D, 'a', 0);
    control("0 overheated on");
    control("0 overheated off");
    EXPECT(is_silent(handle), "a status after it was switched off");
}

static void check_requested_status(void) {
    uint8_t bytes[64];
    EXPECT_BYTES(bytes, ASK(0x1D, 'r', 1), 0x00);
    control("0 paper-low on");
    EXPECT_BYTES(bytes, ASK(0x1D, 'r', '1'), 0x03);
    control("0 paper-low off");
    control("0 drawer-high on");
    EXPECT_BYTES(bytes, ASK(0x1D, 'r', 2), 0x01);
    control("0 drawer-high off");
    // It is no real-time command: a printer that stopped does not get to it.
    control("0 cover-open on");
    WRITE(handle, 0x1D, 'r', 1);
    EXPECT(is_silent(handle), "an answer with the cover open");
    control("0 cover-open off");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x00);
}

static void check_process_id(void) {
    uint8_t bytes[64];
    EXPECT_BYTES(bytes, ASK('h', 'i', '\n', 0x1D, '(', 'H', 6, 0, 48, 48, '0', '0', '0', '1'), 0x37, 0x22, '0', '0', '0', '1', 0);
    // Of several that wait for the host, the latest is sent.
    WRITE(handle, 0x1D, '(', 'H', 6, 0, 48, 48, '0', '0', '0', '2', 'x', 0x1D, '(', 'H', 6, 0, 48, 48, '0', '0', '0', '3');
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x37, 0x22, '0', '0', '0', '3', 0);
    EXPECT(is_silent(handle), "an id that was replaced");
    // What is cleared is never confirmed; DLE DC4 8 is answered itself.
    control("0 paper-out on");
    WRITE(handle, 'x', 0x1D, '(', 'H', 6, 0, 48, 48, '0', '0', '0', '4');
    EXPECT(is_silent(handle), "an answer without paper");
    EXPECT_BYTES(bytes, ASK(0x10, 0x14, 8, 1, 3, 0x14, 1, 6, 2, 8), 0x37, 0x25, 0);
    control("0 paper-out off");
    EXPECT(is_silent(handle), "an id that was cleared");
    control("0 process-ids off");
    WRITE(handle, 0x1D, '(', 'H', 6, 0, 48, 48, '0', '0', '0', '5');
    EXPECT(is_silent(handle), "an old printer");
    control("0 process-ids on");
}

static void check_data_is_no_command(void) {
    uint8_t bytes[64];
    // A raster image of 2 bytes by 2 lines that holds "GS r 1" and one that holds DLE EOT 1: only the latter is answered.
    WRITE(handle, 0x1D, 'v', '0', 0, 2, 0, 2, 0, 0x1D, 'r', 1, 0x1D);
    EXPECT(is_silent(handle), "a command in an image");
    EXPECT_BYTES(bytes, ASK(0x1D, 'v', '0', 0, 2, 0, 2, 0, 0x10, 0x04, 1, 0), 0x12);
    WRITE(handle, 0x1D, 'k', 4, 0x1B, 'i', 0, 0x1D, 'k', 73, 3, 0x1B, 'i', '!', 0x1B, '*', 33, 1, 0, 0x1B, 'i', 0x1B);
    EXPECT(statistic("0", "cuts") == 0, "a cut in barcode or image data");
    WRITE(handle, 0x1B, '@', 0x1D, 'V', 0x42, 0, 0x1B, 'i', 0x1B, 'p', 0, 25, 250);
    EXPECT(statistic("0", "cuts") == 2, "after two cuts");
    EXPECT(statistic("0", "drawer-kicks") == 1 && statistic("0", "initialisations") == 1, "after one each");
}

int main(void) {
    libusb_context *context = start_libusb();
    handle = open_printer(context);
    check_real_time_status();
    check_automatic_status();
    check_requested_status();
    check_process_id();
    check_data_is_no_command();
    control("0 answer 1200FF");
    uint8_t bytes[64];
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x12, 0x00, 0xFF);
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
