// Star line mode on the back-channel.
#include "support.h"

int main(void) {
    uint8_t bytes[64];
    control("0 language star");
    libusb_context *context = start_libusb();
    libusb_device_handle *handle = open_printer(context);
    WRITE(handle, 0x1B, 0x06, 0x01);
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x23, 0x06, 0, 0, 0, 0, 0, 0, 0);
    control("0 cover-open on");
    control("0 paper-out on");
    control("0 cutter-error on");
    control("0 drawer-high on");
    WRITE(handle, 0x1B, 0x06, 0x01);
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x23, 0x06, 0x2C, 0x08, 0, 0x08, 0, 0, 0);
    control("0 cover-open off");
    control("0 paper-out off");
    control("0 cutter-error off");
    control("0 drawer-high off");
    // Automatic status: at once, at each change, and at ETB.
    WRITE(handle, 0x1B, 0x1E, 'a', 1);
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x23, 0x06, 0, 0, 0, 0, 0, 0, 0);
    control("0 paper-low on");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x23, 0x06, 0, 0, 0, 0x04, 0, 0, 0);
    control("0 overheated on");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), 0x23, 0x06, 0x08, 0x40, 0, 0x04, 0, 0, 0);
    WRITE(handle, 'x', 0x17);
    EXPECT(is_silent(handle), "ETB before the data is printed");
    control("0 overheated off");
    EXPECT_BYTES(bytes, read_some(handle, bytes, 64), //
        0x23, 0x06, 0, 0, 0, 0x04, 0, 0, 0, //
        0x23, 0x06, 0x02, 0, 0, 0x04, 0, 0x02, 0);
    // Each ETB counts, to 31 and round again.
    for (int i = 2; i <= 9; i++) {
        WRITE(handle, 0x17);
        read_some(handle, bytes, 64);
    }
    EXPECT_BYTES(bytes, 9, 0x23, 0x06, 0x02, 0, 0, 0x04, 0, 0x22, 0);
    WRITE(handle, 0x1B, 0x1E, 'E', 0);
    EXPECT(is_silent(handle), "a status when the counter is cleared");
    // Raster data with ETB in it.
    WRITE(handle, 0x1B, '*', 'r', 'A', 'b', 2, 0, 0x17, 0x17, 0x1B, '*', 'r', 'B', 0x1B, 0x1D, 'S', 1, 1, 0, 1, 0, 0, 0x17);
    EXPECT(is_silent(handle), "ETB in an image");
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
