// An ordinary user (see check/run): a group opens one device, the other stays closed, hotplug works.
#include <unistd.h>

#include "support.h"

static int arrived;

static int count_arrival(libusb_context *context, libusb_device *device, libusb_hotplug_event event, void *unused) {
    (void)context;
    (void)device;
    (void)event;
    (void)unused;
    return ++arrived, 0;
}

int main(void) {
    libusb_context *context = start_libusb();
    libusb_device **devices;
    libusb_device_handle *handle;
    int opened = 0, refused = 0;
    EXPECT(geteuid() != 0, "root");
    ssize_t count = libusb_get_device_list(context, &devices);
    for (ssize_t i = 0; i < count; i++) {
        // The root hub has no node.
        if (libusb_get_device_address(devices[i]) == 1) continue;
        int code = libusb_open(devices[i], &handle);
        if (code == 0) libusb_close(handle);
        opened += code == 0;
        refused += code == LIBUSB_ERROR_ACCESS;
    }
    libusb_free_device_list(devices, 1);
    EXPECT(opened == 1 && refused == 1, "%d opened, %d refused", opened, refused);
    handle = open_device(context, 0x04B8, 0x0E15);
    EXPECT_CODE(libusb_claim_interface(handle, 0), 0);
    write_all(handle, "receipt\n", 8);
    EXPECT(statistic("0", "printed") == 8, "printed");
    libusb_close(handle);
    EXPECT_CODE(libusb_hotplug_register_callback(context, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED, 0, LIBUSB_HOTPLUG_MATCH_ANY,
                    LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY, count_arrival, NULL, NULL), 0);
    control("0 unplug");
    control("0 plug");
    EXPECT(wait_for_count(context, &arrived, 1), "%d", arrived);
    // The rights of a udev rule that was installed meanwhile.
    control("1 mode 666");
    libusb_close(open_device(context, 0x04B8, 0x0202));
    libusb_exit(context);
    return finish();
}
