#include "descriptors.h"

#include <string.h>

enum { DEVICE = 1, CONFIGURATION = 2, STRING = 3, INTERFACE = 4, ENDPOINT = 5, BULK = 2 };
enum { MANUFACTURER_STRING = 1, MODEL_STRING = 2, SERIAL_STRING = 3, STRING_MAX = 253 };

static uint8_t low(unsigned value) { return value & 0xFF; }
static uint8_t high(unsigned value) { return value >> 8 & 0xFF; }

static void add_endpoint(GByteArray *bytes, const struct device *device, uint8_t address) {
    const uint8_t endpoint[] = {7, ENDPOINT, address, BULK, low(device->packet), high(device->packet), 0};
    g_byte_array_append(bytes, endpoint, sizeof endpoint);
}

static void add_interface(GByteArray *bytes, struct interface interface) {
    for (interface.alternate = 0; interface.alternate < interface.alternate_count; interface.alternate++) {
        const struct alternate *alternate = interface_alternate(&interface);
        uint8_t endpoints = interface_can_read(&interface) ? 2 : 1;
        const uint8_t head[] = {9, INTERFACE, (uint8_t)interface.number, (uint8_t)interface.alternate, endpoints,
            alternate->interface_class, alternate->subclass, alternate->protocol, 0};
        g_byte_array_append(bytes, head, sizeof head);
        add_endpoint(bytes, interface.device, interface_out(&interface));
        if (endpoints == 2) add_endpoint(bytes, interface.device, interface_in(&interface));
    }
}

GByteArray *descriptors_of(const struct device *device) {
    const uint8_t usb_version = 2, configurations = 1;
    const uint8_t serial = device->serial != NULL ? SERIAL_STRING : 0;
    const uint8_t head[DEVICE_DESCRIPTOR_LENGTH] = {DEVICE_DESCRIPTOR_LENGTH, DEVICE, 0, usb_version, 0, 0, 0, 64,
        low(device->vendor), high(device->vendor), low(device->product), high(device->product), 0, 1,
        MANUFACTURER_STRING, MODEL_STRING, serial, configurations};
    const uint8_t configuration[] = {9, CONFIGURATION, 0, 0, (uint8_t)device->interface_count, 1, 0, 0xC0, 1};
    GByteArray *bytes = g_byte_array_new();
    g_byte_array_append(bytes, head, sizeof head);
    g_byte_array_append(bytes, configuration, sizeof configuration);
    for (unsigned i = 0; i < device->interface_count; i++) add_interface(bytes, device->interfaces[i]);
    unsigned total = bytes->len - DEVICE_DESCRIPTOR_LENGTH;
    bytes->data[DEVICE_DESCRIPTOR_LENGTH + 2] = low(total);
    bytes->data[DEVICE_DESCRIPTOR_LENGTH + 3] = high(total);
    return bytes;
}

static GByteArray *string_of(const void *content, size_t length) {
    GByteArray *bytes = g_byte_array_new();
    length = MIN(length, STRING_MAX);
    const uint8_t head[] = {(uint8_t)(length + 2), STRING};
    g_byte_array_append(bytes, head, sizeof head);
    g_byte_array_append(bytes, content, length);
    return bytes;
}

static GByteArray *text_descriptor(const char *text, size_t length) {
    g_autofree gunichar2 *utf16 = NULL;
    glong units = 0;
    utf16 = g_utf8_to_utf16(text, (glong)length, NULL, &units, NULL);
    // What is not UTF-8 is sent byte by byte.
    if (utf16 == NULL) {
        utf16 = g_new(gunichar2, length);
        for (size_t i = 0; i < length; i++) utf16[i] = (uint8_t)text[i];
        units = (glong)length;
    }
    for (glong i = 0; i < units; i++) utf16[i] = GUINT16_TO_LE(utf16[i]);
    return string_of(utf16, (size_t)units * 2);
}

GByteArray *string_descriptor(const struct device *device, unsigned index) {
    const uint8_t english[] = {0x09, 0x04};
    switch (index) {
    case 0: return string_of(english, sizeof english);
    case MANUFACTURER_STRING: return text_descriptor(device->manufacturer, strlen(device->manufacturer));
    case MODEL_STRING: return text_descriptor(device->model, strlen(device->model));
    case SERIAL_STRING:
        if (device->serial_descriptor != NULL) {
            return string_of(device->serial_descriptor->data, device->serial_descriptor->len);
        }
        if (device->serial == NULL) return NULL;
        // An empty array has no data to point to.
        return device->serial->len > 0 ? text_descriptor((const char *)device->serial->data, device->serial->len)
                                       : string_of("", 0);
    default: return NULL;
    }
}
