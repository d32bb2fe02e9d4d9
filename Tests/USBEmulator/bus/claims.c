#include "claims.h"

#include <errno.h>

int claim(struct interface *interface, UMockdevIoctlClient *client) {
    if (interface->owner == client) return 0;
    if (claim_driver(interface) != NULL) return EBUSY;
    interface->owner = g_object_ref(client);
    interface->claims++;
    return 0;
}

static void let_go(struct interface *interface) {
    g_clear_object(&interface->owner);
    // The kernel goes back to the first alternate setting when an interface is let go.
    if (interface->alternate != 0) interface_set_alternate(interface, 0);
}

int claim_release(struct interface *interface, UMockdevIoctlClient *client) {
    if (interface->owner != client) return EINVAL;
    let_go(interface);
    interface->releases++;
    return 0;
}

int claim_detach_kernel_driver(struct interface *interface) {
    if (!interface->kernel_driver_is_bound) return ENODATA;
    interface->kernel_driver_is_bound = false;
    return 0;
}

int claim_attach_kernel_driver(struct interface *interface) {
    if (claim_driver(interface) != NULL) return EBUSY;
    interface->kernel_driver_is_bound = interface->has_kernel_driver;
    return 0;
}

const char *claim_driver(const struct interface *interface) {
    if (interface->kernel_driver_is_bound) return "usblp";
    return interface->owner != NULL || interface->is_busy ? "usbfs" : NULL;
}

void claims_forget_closed(struct device *device, client_test *is_connected) {
    for (unsigned i = 0; i < device->interface_count; i++) {
        struct interface *interface = &device->interfaces[i];
        if (interface->owner != NULL && !is_connected(interface->owner)) let_go(interface);
    }
}
