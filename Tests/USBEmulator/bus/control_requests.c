#include "control_requests.h"

#include <string.h>

#include "../http/http.h"
#include "../printer/printer.h"
#include "descriptors.h"
#include "results.h"

// bmRequestType << 8 | bRequest. The first four are of the printer class (its definition, section 4.2); devices older
// than version 1.1 of it reset by a request to "other" instead of to the interface.
enum {
    GET_DEVICE_ID = 0xA100,
    GET_PORT_STATUS = 0xA101,
    SOFT_RESET = 0x2102,
    OLD_SOFT_RESET = 0x2302,
    GET_DESCRIPTOR = 0x8006,
    GET_CONFIGURATION = 0x8008,
    GET_INTERFACE = 0x810A,
    GET_DEVICE_STATUS = 0x8000,
    GET_INTERFACE_STATUS = 0x8100,
    GET_ENDPOINT_STATUS = 0x8200,
};

struct setup {
    unsigned request, value, index, length;
};

static int reply(const struct setup *setup, uint8_t *data, const void *bytes, size_t count) {
    count = MIN(count, setup->length);
    memcpy(data, bytes, count);
    return (int)count;
}

static int reply_byte(const struct setup *setup, uint8_t *data, uint8_t byte) { return reply(setup, data, &byte, 1); }

static int get_device_id(const struct interface *interface, const struct setup *setup, uint8_t *data) {
    unsigned length = interface->device_id->len + 2;
    switch (interface->device_id_length) {
    case LENGTH_STANDARD: break;
    case LENGTH_LITTLE_ENDIAN: length = GUINT16_SWAP_LE_BE(length); break;
    case LENGTH_EXCLUSIVE: length -= 2; break;
    case LENGTH_OVERSIZE: length = 0xFFFF; break;
    case LENGTH_ZERO: length = 0; break;
    }
    const uint8_t head[] = {length >> 8 & 0xFF, length & 0xFF};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_byte_array_append(bytes, head, sizeof head);
    g_byte_array_append(bytes, interface->device_id->data, interface->device_id->len);
    return reply(setup, data, bytes->data, bytes->len);
}

static int soft_reset(struct interface *interface) {
    interface->soft_resets++;
    interface->out_is_halted = interface->in_is_halted = false;
    printer_clear_buffers(interface->printer);
    printer_clear_answers(interface->printer);
    http_reset(interface->http);
    return 0;
}

static int printer_request(struct device *device, const struct setup *setup, uint8_t *data) {
    unsigned number = setup->request == GET_DEVICE_ID ? setup->index >> 8 : setup->index & 0xFF;
    struct interface *interface = device_interface(device, number);
    // A vendor's own interface knows nothing of the printer class.
    if (interface == NULL || interface_alternate(interface)->interface_class != 7) return -EPIPE;
    switch (setup->request) {
    case GET_DEVICE_ID: return get_device_id(interface, setup, data);
    case GET_PORT_STATUS: return reply_byte(setup, data, printer_port_status(interface->printer));
    default: return soft_reset(interface);
    }
}

static int get_descriptor(const struct device *device, const struct setup *setup, uint8_t *data) {
    enum { DEVICE = 1, CONFIGURATION = 2, STRING = 3 };
    g_autoptr(GByteArray) bytes = NULL;
    switch (setup->value >> 8) {
    case DEVICE:
        bytes = descriptors_of(device);
        return reply(setup, data, bytes->data, DEVICE_DESCRIPTOR_LENGTH);
    case CONFIGURATION:
        bytes = descriptors_of(device);
        return reply(setup, data, bytes->data + DEVICE_DESCRIPTOR_LENGTH, bytes->len - DEVICE_DESCRIPTOR_LENGTH);
    case STRING:
        bytes = string_descriptor(device, setup->value & 0xFF);
        return bytes != NULL ? reply(setup, data, bytes->data, bytes->len) : -EPIPE;
    default: return -EPIPE;
    }
}

static int endpoint_status(struct device *device, const struct setup *setup, uint8_t *data) {
    struct interface *interface = device_interface_of(device, setup->index & 0xFF);
    if (interface == NULL) return -EPIPE;
    bool is_halted = setup->index & 0x80 ? interface->in_is_halted : interface->out_is_halted;
    return reply(setup, data, (uint8_t[]){is_halted, 0}, 2);
}

int control_request(struct device *device, const uint8_t setup_bytes[8], uint8_t *data) {
    const struct setup setup = {
        .request = (unsigned)setup_bytes[0] << 8 | setup_bytes[1],
        .value = setup_bytes[2] | (unsigned)setup_bytes[3] << 8,
        .index = setup_bytes[4] | (unsigned)setup_bytes[5] << 8,
        .length = setup_bytes[6] | (unsigned)setup_bytes[7] << 8,
    };
    if (setup.request == device->ignored_request) return NAK;
    records_add(&device->requests, "%04x,%04x,%04x,%u", setup.request, setup.value, setup.index, setup.length);
    if (setup.request == device->stalled_request) return -EPIPE;
    switch (setup.request) {
    case GET_DEVICE_ID:
    case GET_PORT_STATUS:
    case SOFT_RESET:
    case OLD_SOFT_RESET: return printer_request(device, &setup, data);
    case GET_DESCRIPTOR: return get_descriptor(device, &setup, data);
    case GET_CONFIGURATION: return reply_byte(&setup, data, 1);
    case GET_DEVICE_STATUS:
    case GET_INTERFACE_STATUS: return reply(&setup, data, (uint8_t[]){0, 0}, 2);
    case GET_ENDPOINT_STATUS: return endpoint_status(device, &setup, data);
    case GET_INTERFACE: {
        struct interface *interface = device_interface(device, setup.index & 0xFF);
        return interface != NULL ? reply_byte(&setup, data, (uint8_t)interface->alternate) : -EPIPE;
    }
    default: return -EPIPE;
    }
}
