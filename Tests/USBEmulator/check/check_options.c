// What the command line described (see check/run), and what a program in the emulator finds in its environment.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"

int main(void) {
    struct stat status;
    libusb_context *context = start_libusb();
    EXPECT(count_devices(context) == 1, "%d devices", count_devices(context));
    EXPECT(strcmp(control("bus list"), " 0=0a5f:0120@1 1=04b8:0e15@unplugged") == 0, "%s", control("bus list"));
    EXPECT(stat("/dev/bus/usb/001/002", &status) == 0 && (status.st_mode & 0777) == 0600, "%o", status.st_mode);
    libusb_device_handle *handle = open_device(context, 0x0A5F, 0x0120);
    EXPECT(libusb_kernel_driver_active(handle, 0) == 1, "usblp");
    libusb_close(handle);
    control("1 plug");
    libusb_exit(context);
    context = start_libusb();
    EXPECT(count_devices(context) == 2, "%d devices", count_devices(context));
    libusb_exit(context);
    EXPECT(getenv("UMOCKDEV_DIR") != NULL && getenv("LD_PRELOAD") != NULL, "the environment");
    return finish();
}
