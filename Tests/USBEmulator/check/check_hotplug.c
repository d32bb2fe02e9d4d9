// Devices that come and go while libusb watches.
#include <string.h>
#include <unistd.h>

#include "support.h"

enum { STORM = 150 };

static int arrived, left;
static int last_address, port; // of the last device that arrived

static int count_event(libusb_context *context, libusb_device *device, libusb_hotplug_event event, void *unused) {
    (void)context;
    (void)unused;
    if (event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED) {
        port = libusb_get_port_number(device);
        last_address = libusb_get_device_address(device);
        arrived++;
    } else {
        left++;
    }
    return 0;
}

int main(void) {
    uint8_t byte = 'x';
    int taken;
    libusb_context *context = start_libusb();
    libusb_device_handle *handle = open_printer(context);
    int events = LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT;
    EXPECT_CODE(libusb_hotplug_register_callback(
                    context, events, 0, 0x04B8, 0x0E15, LIBUSB_HOTPLUG_MATCH_ANY, count_event, NULL, NULL), 0);
    control("0 unplug");
    EXPECT(wait_for_count(context, &left, 1), "%d", left);
    EXPECT(count_devices(context) == 0, "%d devices", count_devices(context));
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, &byte, 1, &taken, LONG), LIBUSB_ERROR_NO_DEVICE);
    control_refused("0 unplug");
    control("0 plug 7");
    EXPECT(wait_for_count(context, &arrived, 1), "%d", arrived);
    EXPECT(port == 7, "port %d", port);
    control_refused("0 plug");
    // The handle of the time before stays dead.
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, &byte, 1, &taken, LONG), LIBUSB_ERROR_NO_DEVICE);
    libusb_close(handle);
    libusb_close(open_printer(context));
    // A device of another kind is none of this callback's business.
    control("bus add --vendor 0519 --product 0003");
    control("1 unplug");
    for (int i = 1; i <= 4; i++) {
        control("0 unplug");
        EXPECT(wait_for_count(context, &left, 1 + i), "unplugged again");
        control("0 plug");
        EXPECT(wait_for_count(context, &arrived, 1 + i), "plugged in again");
    }
    // A storm: a device that is gone before libusb looks at it is never announced. What is announced leaves as well, and
    // the last one stays.
    for (int i = 0; i < STORM; i++) {
        control("0 unplug");
        control("0 plug");
    }
    int address = (int)statistic("0", "address");
    for (int i = 0; i < 1500 && last_address != address; i++) {
        struct timeval moment = {.tv_usec = 20000};
        libusb_handle_events_timeout(context, &moment);
    }
    EXPECT(last_address == address, "the last one, %d, arrived as %d", address, last_address);
    EXPECT(arrived == left, "%d arrived, %d left, besides the first one", arrived, left);
    EXPECT(arrived > 5 && count_devices(context) == 1, "%d arrived", arrived);
    int left_before = left;
    handle = open_printer(context);
    // A fault's unplugging is announced like any other.
    control("0 unplug-at 0");
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, &byte, 1, &taken, LONG), LIBUSB_ERROR_NO_DEVICE);
    EXPECT(wait_for_count(context, &left, left_before + 1), "a fault's unplugging");
    libusb_close(handle);
    // Without messages libusb's list stays as it was, and a later context has one of its own.
    int arrived_before = arrived;
    control("0 unplug-at off");
    control("0 plug");
    EXPECT(wait_for_count(context, &arrived, arrived_before + 1), "plugged in for the last time");
    control("bus messages off");
    control("0 unplug");
    EXPECT(count_devices(context) == 1, "%d devices", count_devices(context));
    libusb_context *later = start_libusb();
    EXPECT(count_devices(later) == 0, "%d devices", count_devices(later));
    libusb_exit(later);
    libusb_exit(context);
    return finish();
}
