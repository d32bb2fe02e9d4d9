// Who may open a device, and who holds it.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static libusb_context *context;

// As /sys has it.
static const char *shown_driver(void) {
    static char target[100];
    ssize_t length = readlink("/sys/bus/usb/devices/1-1:1.0/driver", target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    const char *slash = strrchr(target, '/');
    return slash != NULL ? slash + 1 : target;
}

static void check_kernel_driver(void) {
    control("0 kernel-driver on");
    libusb_device_handle *handle = open_device(context, 0x04B8, 0x0E15);
    EXPECT(libusb_kernel_driver_active(handle, 0) == 1, "usblp holds it");
    EXPECT_CODE(libusb_claim_interface(handle, 0), LIBUSB_ERROR_BUSY);
    EXPECT_CODE(libusb_detach_kernel_driver(handle, 0), 0);
    EXPECT(libusb_kernel_driver_active(handle, 0) == 0, "detached");
    EXPECT_CODE(libusb_detach_kernel_driver(handle, 0), LIBUSB_ERROR_NOT_FOUND);
    EXPECT_CODE(libusb_claim_interface(handle, 0), 0);
    EXPECT_CODE(libusb_attach_kernel_driver(handle, 0), LIBUSB_ERROR_BUSY);
    EXPECT_CODE(libusb_release_interface(handle, 0), 0);
    EXPECT_CODE(libusb_attach_kernel_driver(handle, 0), 0);
    EXPECT(libusb_kernel_driver_active(handle, 0) == 1, "given back");
    // By itself, with every claim and release.
    libusb_set_auto_detach_kernel_driver(handle, 1);
    EXPECT_CODE(libusb_claim_interface(handle, 0), 0);
    EXPECT(strstr(control("0 stats"), " driver=usbfs") != NULL, "claimed");
    EXPECT(strcmp(shown_driver(), "usbfs") == 0, "%s", shown_driver());
    EXPECT_CODE(libusb_release_interface(handle, 0), 0);
    EXPECT(strstr(control("0 stats"), " driver=usblp") != NULL, "given back");
    EXPECT(strcmp(shown_driver(), "usblp") == 0, "%s", shown_driver());
    // A program that detached it and died leaves it detached.
    EXPECT_CODE(libusb_claim_interface(handle, 0), 0);
    libusb_close(handle);
    EXPECT(strstr(control("0 stats"), " driver=usblp") == NULL, "nobody gave it back");
    control("0 unplug");
    control("0 plug");
    EXPECT(strstr(control("0 stats"), " driver=usblp") != NULL, "bound again after a replug");
    control("0 kernel-driver off");
}

static void check_claims(void) {
    uint8_t byte = 'x';
    int taken = 0;
    libusb_device_handle *first = open_printer(context);
    libusb_context *other_context = start_libusb();
    libusb_device_handle *second = open_device(other_context, 0x04B8, 0x0E15);
    EXPECT_CODE(libusb_claim_interface(second, 0), LIBUSB_ERROR_BUSY);
    EXPECT(libusb_bulk_transfer(second, OUT, &byte, 1, &taken, LONG) < 0, "a transfer without a claim");
    libusb_close(first);
    EXPECT_CODE(libusb_claim_interface(second, 0), 0);
    EXPECT_CODE(libusb_bulk_transfer(second, OUT, &byte, 1, &taken, LONG), 0);
    libusb_close(second);
    libusb_exit(other_context);
    control("0 busy on");
    libusb_device_handle *third = open_device(context, 0x04B8, 0x0E15);
    EXPECT_CODE(libusb_claim_interface(third, 0), LIBUSB_ERROR_BUSY);
    control("0 busy off");
    EXPECT_CODE(libusb_claim_interface(third, 0), 0);
    EXPECT_CODE(libusb_claim_interface(third, 1), LIBUSB_ERROR_NOT_FOUND);
    libusb_close(third);
    EXPECT(statistic("0", "opens") == 4, "%d", (int)statistic("0", "opens"));
    // Claiming and closing in turn never meets the last owner.
    for (int i = 0; i < 100; i++) libusb_close(open_printer(context));
}

static void check_rights(void) {
    libusb_device **devices;
    libusb_device_handle *handle;
    ssize_t count = libusb_get_device_list(context, &devices);
    libusb_device *device = NULL;
    for (ssize_t i = 0; i < count; i++) {
        if (libusb_get_device_address(devices[i]) != 1) device = devices[i];
    }
    control("0 mode 000");
    // Often: umockdev loses a place with each open that fails, unless the guard answers.
    for (int i = 0; i < 200; i++) EXPECT_CODE(libusb_open(device, &handle), LIBUSB_ERROR_ACCESS);
    control("0 mode 660");
    EXPECT_CODE(libusb_open(device, &handle), 0);
    libusb_close(handle);
    libusb_free_device_list(devices, 1);
    for (int i = 0; i < 200; i++) EXPECT(open("/dev/usb/lp0", O_RDWR) < 0 && errno == ENOENT, "a node that is not there");
    int null = open("/dev/null", O_WRONLY);
    EXPECT(null >= 0, "another device");
    close(null);
}

int main(void) {
    context = start_libusb();
    check_kernel_driver();
    check_claims();
    check_rights();
    libusb_exit(context);
    return finish();
}
