#include "device.h"

#include <stdarg.h>
#include <string.h>

#include "../http/http.h"
#include "../printer/printer.h"

enum { CLASS_PRINTER = 7, SUBCLASS_PRINTER = 1, UNIDIRECTIONAL = 1, BIDIRECTIONAL = 2, IPP_OVER_USB = 4 };

struct device *device_new(unsigned index) {
    struct device *device = g_new0(struct device, 1);
    device->index = index;
    device->vendor = 0x04B8;
    device->product = 0x0E15;
    device->packet = 512;
    device->manufacturer = g_strdup("EPSON");
    device->model = g_strdup("TM-T20II");
    device->serial = g_byte_array_new();
    const char *serial = "EMU0001";
    g_byte_array_append(device->serial, (const guint8 *)serial, strlen(serial));
    device->port = g_strdup_printf("%u", index + 1);
    device->mode = 0664;
    device_add_interface(device);
    return device;
}

struct interface *device_add_interface(struct device *device) {
    static const char device_id[] = "MFG:EPSON;CMD:ESC/POS;MDL:TM-T20II;CLS:PRINTER;DES:EPSON TM-T20II;";
    if (device->interface_count == INTERFACES_MAX) return NULL;
    struct interface *interface = &device->interfaces[device->interface_count];
    *interface = (struct interface){
        .device = device,
        .number = device->interface_count++,
        .alternates = {{CLASS_PRINTER, SUBCLASS_PRINTER, BIDIRECTIONAL}},
        .alternate_count = 1,
        .device_id = g_byte_array_new(),
        .printer = printer_new(),
        .http = http_new(),
        .faults = {.credit = -1, .stall_out_at = -1, .stall_in_at = -1, .unplug_at = -1, .memory = -1},
    };
    g_byte_array_append(interface->device_id, (const guint8 *)device_id, sizeof device_id - 1);
    return interface;
}

const struct alternate *interface_alternate(const struct interface *interface) {
    return &interface->alternates[interface->alternate];
}

static bool is_printer(const struct alternate *alternate, uint8_t protocol) {
    return alternate->interface_class == CLASS_PRINTER && alternate->subclass == SUBCLASS_PRINTER
        && alternate->protocol == protocol;
}

bool interface_is_ipp(const struct interface *interface) {
    return is_printer(interface_alternate(interface), IPP_OVER_USB);
}

bool interface_can_read(const struct interface *interface) {
    return !is_printer(interface_alternate(interface), UNIDIRECTIONAL);
}

bool interface_set_alternate(struct interface *interface, unsigned alternate) {
    if (alternate >= interface->alternate_count) return false;
    interface->alternate = alternate;
    interface->out_is_halted = interface->in_is_halted = false;
    http_reset(interface->http);
    return true;
}

uint8_t interface_out(const struct interface *interface) { return (uint8_t)(2 * interface->number + 1); }

uint8_t interface_in(const struct interface *interface) { return (uint8_t)(0x80 | (2 * interface->number + 2)); }

struct interface *device_interface_of(struct device *device, uint8_t endpoint) {
    for (unsigned i = 0; i < device->interface_count; i++) {
        struct interface *interface = &device->interfaces[i];
        if (endpoint == interface_out(interface)) return interface;
        if (endpoint == interface_in(interface) && interface_can_read(interface)) return interface;
    }
    return NULL;
}

struct interface *device_interface(struct device *device, unsigned number) {
    return number < device->interface_count ? &device->interfaces[number] : NULL;
}

void device_reset(struct device *device) {
    for (unsigned i = 0; i < device->interface_count; i++) interface_set_alternate(&device->interfaces[i], 0);
}

void records_add(struct records *records, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = records->ring[records->count++ % RECORDS_MAX].text;
    g_vsnprintf(text, sizeof records->ring[0].text, format, arguments);
    va_end(arguments);
}
