// What a device is, as its descriptors say.
#include <stdio.h>
#include <string.h>

#include "settings.h"
#include "values.h"

static bool set_id(const char *value, uint16_t *id) {
    uint64_t number;
    if (!value_hex(value, UINT16_MAX, &number)) return false;
    *id = (uint16_t)number;
    return true;
}

static bool set_vendor(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_id(value, &interface->device->vendor);
}

static bool set_product(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_id(value, &interface->device->product);
}

static bool set_manufacturer(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    g_free(interface->device->manufacturer);
    interface->device->manufacturer = g_strdup(value);
    return true;
}

static bool set_model(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    g_free(interface->device->model);
    interface->device->model = g_strdup(value);
    return true;
}

static bool set_serial(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    g_clear_pointer(&interface->device->serial, g_byte_array_unref);
    return value_escaped(value, &interface->device->serial);
}

static bool set_serial_descriptor(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    g_clear_pointer(&interface->device->serial_descriptor, g_byte_array_unref);
    return value_hex_bytes(value, &interface->device->serial_descriptor);
}

static bool set_no_serial(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    bool on;
    if (!value_switch(value, &on) || !on) return false;
    g_clear_pointer(&interface->device->serial, g_byte_array_unref);
    return true;
}

static bool read_alternate(const char *value, struct alternate *alternate) {
    unsigned numbers[3];
    char rest;
    if (sscanf(value, "%u/%u/%u%c", &numbers[0], &numbers[1], &numbers[2], &rest) != 3) return false;
    for (int i = 0; i < 3; i++) {
        if (numbers[i] > UINT8_MAX) return false;
    }
    *alternate = (struct alternate){(uint8_t)numbers[0], (uint8_t)numbers[1], (uint8_t)numbers[2]};
    return true;
}

// The first one says what interface 0 is, each further one adds an interface.
static bool add_interface(struct interface *interface, const char *value, GString *problem) {
    struct alternate alternate;
    if (!read_alternate(value, &alternate)) return false;
    if (interface->is_described) interface = device_add_interface(interface->device);
    if (interface == NULL) {
        g_string_printf(problem, "a device has %d interfaces at most", INTERFACES_MAX);
        return false;
    }
    interface->alternates[0] = alternate;
    interface->is_described = true;
    return true;
}

static bool add_alternate(struct interface *interface, const char *value, GString *problem) {
    struct alternate alternate;
    if (!read_alternate(value, &alternate)) return false;
    if (interface->alternate_count == ALTERNATES_MAX) {
        g_string_printf(problem, "an interface has %d alternate settings at most", ALTERNATES_MAX);
        return false;
    }
    interface->alternates[interface->alternate_count++] = alternate;
    return true;
}

static bool set_packet(struct interface *interface, const char *value, GString *problem) {
    uint64_t number;
    if (value_number(value, 512, &number) && (number == 64 || number == 512)) {
        interface->device->packet = (unsigned)number;
        return true;
    }
    g_string_assign(problem, "a packet is 64 bytes (full speed) or 512 (high speed)");
    return false;
}

static bool set_port(struct interface *interface, const char *value, GString *problem) {
    if (value[0] == 0 || strspn(value, "0123456789.") != strlen(value)) {
        g_string_assign(problem, "a port is a number, or numbers with dots for a hub's ports");
        return false;
    }
    g_free(interface->device->port);
    interface->device->port = g_strdup(value);
    return true;
}

const struct setting description_settings[] = {
    {"vendor", set_vendor},
    {"product", set_product},
    {"manufacturer", set_manufacturer},
    {"model", set_model},
    {"serial", set_serial},
    {"serial-descriptor", set_serial_descriptor},
    {"no-serial", set_no_serial},
    {"interface", add_interface},
    {"alternate", add_alternate},
    {"packet", set_packet},
    {"port", set_port},
    {NULL, NULL},
};
