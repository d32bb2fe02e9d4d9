// Endpoint 0: the printer class's requests and their faults.
#include <string.h>

#include "support.h"

static int get(libusb_device_handle *handle, uint8_t request, uint16_t index, uint8_t *bytes, uint16_t length) {
    return libusb_control_transfer(handle, 0xA1, request, 0, index, bytes, length, LONG);
}

static void check_length(libusb_device_handle *handle, const char *form, uint8_t high, uint8_t low) {
    uint8_t bytes[1024];
    control("0 device-id-length %s", form);
    int count = get(handle, 0, 0, bytes, sizeof bytes);
    EXPECT(count == 10 && bytes[0] == high && bytes[1] == low, "%s: %d bytes, %02x %02x", form, count, bytes[0], bytes[1]);
    EXPECT(count == 10 && memcmp(bytes + 2, "MFG:ACME", 8) == 0, "%s", form);
}

static void check_device_id(libusb_device_handle *handle) {
    uint8_t bytes[1024];
    control("0 device-id MFG:ACME");
    control("0.1 device-id 'MDL:\\xE9,\\\\;MDL:two;'");
    check_length(handle, "standard", 0, 10);
    check_length(handle, "little-endian", 10, 0);
    check_length(handle, "exclusive", 0, 8);
    check_length(handle, "oversize", 0xFF, 0xFF);
    check_length(handle, "zero", 0, 0);
    EXPECT(get(handle, 0, 0, bytes, 4) == 4, "a short read");
    int count = get(handle, 0, 0x0100, bytes, sizeof bytes);
    EXPECT(count == 18 && memcmp(bytes + 2, "MDL:\xE9,\\;MDL:two;", 16) == 0, "%d bytes of the second interface", count);
    EXPECT_CODE(get(handle, 0, 0x0200, bytes, sizeof bytes), LIBUSB_ERROR_PIPE);
    control("0 stall-control device-id");
    EXPECT_CODE(get(handle, 0, 0, bytes, sizeof bytes), LIBUSB_ERROR_PIPE);
    control("0 stall-control off");
    EXPECT(get(handle, 0, 0, bytes, sizeof bytes) == 10, "after the stall");
    control("0 ignore-control a100");
    EXPECT_CODE(libusb_control_transfer(handle, 0xA1, 0, 0, 0, bytes, 64, SHORT), LIBUSB_ERROR_TIMEOUT);
    control("0 ignore-control off");
    EXPECT(get(handle, 0, 0, bytes, sizeof bytes) == 10, "after the silence");
    EXPECT(strstr(control("0 requests"), " a100,0000,0100,1024") != NULL, "the requests seen");
}

static void check_port_status(libusb_device_handle *handle) {
    static const struct {
        const char *condition;
        uint8_t status;
    } table[] = {{"cover-open", 0x00}, {"paper-out", 0x28}, {"paper-low", 0x18}, {"cutter-error", 0x00}, {"offline", 0x08}};
    uint8_t status = 0;
    EXPECT(get(handle, 1, 0, &status, 1) == 1 && status == 0x18, "%02x", status);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        control("0 %s on", table[i].condition);
        get(handle, 1, 0, &status, 1);
        EXPECT(status == table[i].status, "%s: %02x", table[i].condition, status);
        control("0 %s off", table[i].condition);
    }
    control("0 port-status 37");
    EXPECT(get(handle, 1, 0, &status, 1) == 1 && status == 0x37, "%02x", status);
    control("0 port-status auto");
}

static void check_soft_reset(libusb_device_handle *handle) {
    control("0 cover-open on");
    WRITE(handle, 'a', 'b', 'c');
    EXPECT(statistic("0", "waiting") == 3, "before the reset");
    EXPECT_CODE(libusb_control_transfer(handle, 0x21, 2, 0, 0, NULL, 0, LONG), 0);
    EXPECT(statistic("0", "waiting") == 0 && statistic("0", "lost") == 3, "after the reset");
    EXPECT_CODE(libusb_control_transfer(handle, 0x23, 2, 0, 0, NULL, 0, LONG), 0);
    EXPECT(statistic("0", "soft-resets") == 2, "both request types count");
    control("0 stall-control soft-reset");
    EXPECT_CODE(libusb_control_transfer(handle, 0x21, 2, 0, 0, NULL, 0, LONG), LIBUSB_ERROR_PIPE);
    EXPECT_CODE(libusb_control_transfer(handle, 0x23, 2, 0, 0, NULL, 0, LONG), 0);
    control("0 stall-control off");
    control("0 cover-open off");
}

int main(void) {
    control("0 unplug");
    control("0 interface 7/1/2");
    control("0 interface 7/1/2");
    control("0 interface 255/0/0");
    control("0 plug");
    libusb_context *context = start_libusb();
    libusb_device_handle *handle = open_printer(context);
    check_device_id(handle);
    check_port_status(handle);
    check_soft_reset(handle);
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
