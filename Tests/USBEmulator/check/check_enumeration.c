// Devices as libusb finds them: ids, classes, alternate settings, serial numbers, ports.
#include <stdio.h>
#include <string.h>

#include "support.h"

static libusb_device_handle *find(libusb_context *context, uint16_t product, libusb_device **device) {
    libusb_device_handle *handle = open_device(context, 0x1234, product);
    *device = libusb_get_device(handle);
    return handle;
}

static void check_interfaces(libusb_context *context) {
    libusb_device *device;
    struct libusb_config_descriptor *configuration;
    libusb_device_handle *handle = find(context, 1, &device);
    EXPECT_CODE(libusb_get_active_config_descriptor(device, &configuration), 0);
    EXPECT(configuration->bNumInterfaces == 2, "%d", configuration->bNumInterfaces);
    const struct libusb_interface *printer = &configuration->interface[0], *vendor = &configuration->interface[1];
    EXPECT(printer->num_altsetting == 3, "%d", printer->num_altsetting);
    static const int protocols[] = {1, 2, 4}, endpoints[] = {1, 2, 2};
    for (int i = 0; i < 3 && i < printer->num_altsetting; i++) {
        const struct libusb_interface_descriptor *alternate = &printer->altsetting[i];
        EXPECT(alternate->bInterfaceClass == 7 && alternate->bInterfaceSubClass == 1, "alternate %d", i);
        EXPECT(alternate->bInterfaceProtocol == protocols[i], "alternate %d has %d", i, alternate->bInterfaceProtocol);
        EXPECT(alternate->bNumEndpoints == endpoints[i], "alternate %d has %d", i, alternate->bNumEndpoints);
        EXPECT(alternate->endpoint[0].bEndpointAddress == OUT, "%02x", alternate->endpoint[0].bEndpointAddress);
        EXPECT(alternate->endpoint[0].wMaxPacketSize == 512, "%d", alternate->endpoint[0].wMaxPacketSize);
    }
    EXPECT(vendor->altsetting[0].bInterfaceClass == 0xFF, "%d", vendor->altsetting[0].bInterfaceClass);
    EXPECT(vendor->altsetting[0].endpoint[0].bEndpointAddress == SECOND_OUT, "of the second interface");
    EXPECT(vendor->altsetting[0].endpoint[1].bEndpointAddress == SECOND_IN, "of the second interface");
    libusb_free_config_descriptor(configuration);
    EXPECT_CODE(libusb_claim_interface(handle, 0), 0);
    EXPECT_CODE(libusb_set_interface_alt_setting(handle, 0, 2), 0);
    EXPECT(statistic("1", "alternate") == 2, "after it was set");
    EXPECT_CODE(libusb_set_interface_alt_setting(handle, 0, 3), LIBUSB_ERROR_NOT_FOUND);
    libusb_close(handle);
}

static void check_serial(libusb_context *context, uint16_t product, const char *expected, int code) {
    libusb_device *device;
    struct libusb_device_descriptor descriptor;
    char serial[200] = "";
    libusb_device_handle *handle = find(context, product, &device);
    libusb_get_device_descriptor(device, &descriptor);
    int length = libusb_get_string_descriptor_ascii(handle, descriptor.iSerialNumber, (uint8_t *)serial, sizeof serial);
    EXPECT(length == code || (length > 0 && code > 0), "%d of product %d", length, product);
    EXPECT(strcmp(serial, expected) == 0, "\"%s\" of product %d", serial, product);
    libusb_close(handle);
}

static void check_ports(libusb_context *context) {
    libusb_device *device;
    uint8_t ports[8];
    libusb_device_handle *handle = find(context, 3, &device);
    int count = libusb_get_port_numbers(device, ports, sizeof ports);
    EXPECT_BYTES(ports, (size_t)(count > 0 ? count : 0), 9);
    EXPECT(libusb_get_device_speed(device) == LIBUSB_SPEED_FULL, "%d", libusb_get_device_speed(device));
    EXPECT(libusb_get_max_packet_size(device, OUT) == 64, "%d", libusb_get_max_packet_size(device, OUT));
    libusb_close(handle);
}

int main(void) {
    control("bus add --vendor 1234 --product 1 --interface 7/1/1 --alternate 7/1/2 --alternate 7/1/4 --interface 255/0/0");
    control("bus add --vendor 1234 --product 2 --serial SAME");
    control("bus add --vendor 1234 --product 3 --serial SAME --port 9 --packet 64");
    control("bus add --vendor 1234 --product 4 --no-serial on");
    control("bus add --vendor 1234 --product 5 --serial ''");
    control("bus add --vendor 1234 --product 6 --serial 'caf\\xC3\\xA9'");
    control("bus add --vendor 1234 --product 7 --serial-descriptor 410000D8");
    EXPECT(strstr(control_refused("bus add --port 9"), "port 9 is taken") != NULL, "two devices at one port");
    EXPECT(strstr(control_refused("bus add --speeed 1"), "no setting speeed") != NULL, "a setting that is none");
    EXPECT(strstr(control_refused("1 vendor 5"), "plugged in") != NULL, "another vendor while it is plugged in");
    libusb_context *context = start_libusb();
    EXPECT(count_devices(context) == 8, "%d devices", count_devices(context));
    check_interfaces(context);
    check_serial(context, 2, "SAME", 4);
    check_serial(context, 3, "SAME", 4);
    check_serial(context, 4, "", LIBUSB_ERROR_INVALID_PARAM);
    check_serial(context, 5, "", 0);
    check_serial(context, 6, "caf?", 4);
    check_serial(context, 7, "A?", 2);
    check_ports(context);
    libusb_exit(context);
    return finish();
}
