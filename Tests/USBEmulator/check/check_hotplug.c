// Devices that come and go while libusb watches.
#include <string.h>
#include <unistd.h>

#include "support.h"

enum { STORM = 150 };

static int arrived, left;
static uint8_t port;

static int count_event(libusb_context *context, libusb_device *device, libusb_hotplug_event event, void *unused) {
    (void)context;
    (void)unused;
    port = libusb_get_port_number(device);
    ++*(event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED ? &arrived : &left);
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
    // A storm that this program does not read meanwhile: every event is there in the end.
    for (int i = 0; i < 4; i++) {
        control("0 unplug");
        control("0 plug");
    }
    EXPECT(wait_for_count(context, &left, 5) && wait_for_count(context, &arrived, 5), "%d left, %d arrived", left, arrived);
    for (int i = 0; i < STORM; i++) {
        control("0 unplug");
        control("0 plug");
    }
    EXPECT(wait_for_count(context, &left, 5 + STORM), "%d left", left);
    EXPECT(wait_for_count(context, &arrived, 5 + STORM), "%d arrived", arrived);
    handle = open_printer(context);
    // A fault's unplugging is announced like any other.
    control("0 unplug-at 0");
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, &byte, 1, &taken, LONG), LIBUSB_ERROR_NO_DEVICE);
    EXPECT(wait_for_count(context, &left, 6 + STORM), "%d left", left);
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
