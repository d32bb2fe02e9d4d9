// Who may open a device and who holds it, what it says about itself, and what is behind its interfaces of IPP over USB.
#include "../bus/attachment.h"
#include "../http/http.h"
#include "settings.h"
#include "values.h"

static void apply_rights(const struct device *device) {
    if (device->attachment != NULL) attachment_set_rights(device->attachment);
}

static bool set_mode(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    uint64_t mode;
    if (!g_ascii_string_to_unsigned(value, 8, 0, 0777, &mode, NULL)) return false;
    interface->device->mode = (mode_t)mode;
    apply_rights(interface->device);
    return true;
}

static bool set_group(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    g_free(interface->device->group);
    interface->device->group = g_strdup(value);
    apply_rights(interface->device);
    return true;
}

static bool set_device_id(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    GByteArray *bytes;
    if (!value_escaped(value, &bytes)) return false;
    g_byte_array_unref(interface->device_id);
    interface->device_id = bytes;
    return true;
}

static bool set_device_id_length(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    static const char *const forms[] = {
        [LENGTH_STANDARD] = "standard",
        [LENGTH_LITTLE_ENDIAN] = "little-endian",
        [LENGTH_EXCLUSIVE] = "exclusive",
        [LENGTH_OVERSIZE] = "oversize",
        [LENGTH_ZERO] = "zero",
        NULL,
    };
    unsigned form;
    if (!value_choice(value, forms, &form)) return false;
    interface->device_id_length = form;
    return true;
}

// Bound at once and after each replug, as the kernel does.
static bool set_kernel_driver(struct interface *interface, const char *value, GString *problem) {
    bool on;
    if (!value_switch(value, &on)) return false;
    if (on && interface->owner != NULL) {
        g_string_assign(problem, "a program holds the interface");
        return false;
    }
    interface->has_kernel_driver = on;
    interface->kernel_driver_is_bound = on;
    return true;
}

static bool set_busy(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_switch(value, &interface->is_busy);
}

static bool set_http(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return http_set_server(interface->http, value);
}

const struct setting device_settings[] = {
    {"mode", set_mode},
    {"group", set_group},
    {"device-id", set_device_id},
    {"device-id-length", set_device_id_length},
    {"kernel-driver", set_kernel_driver},
    {"busy", set_busy},
    {"http", set_http},
    {NULL, NULL},
};
