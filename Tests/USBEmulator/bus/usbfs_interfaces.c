#include "usbfs_interfaces.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>

#include "claims.h"

struct interface *usbfs_interface(const struct call *call) {
    return device_interface(call->attachment->device, *(const unsigned *)call->argument->data);
}

int usbfs_get_driver(const struct call *call) {
    struct usbdevfs_getdriver *answer = (struct usbdevfs_getdriver *)call->argument->data;
    const struct interface *interface = usbfs_interface(call);
    const char *driver = interface != NULL ? claim_driver(interface) : NULL;
    if (driver == NULL) return -ENODATA;
    g_strlcpy(answer->driver, driver, sizeof answer->driver);
    return 0;
}

int usbfs_claim(const struct call *call) {
    struct interface *interface = usbfs_interface(call);
    if (interface == NULL) return -ENOENT;
    if (call->request == USBDEVFS_DISCONNECT_CLAIM) claim_detach_kernel_driver(interface);
    if (interface->owner != NULL && interface->owner != call->client) return CLAIM_LATER;
    return -claim(interface, call->client);
}

int usbfs_release(const struct call *call) {
    struct interface *interface = usbfs_interface(call);
    return interface != NULL ? -claim_release(interface, call->client) : -ENOENT;
}

int usbfs_set_interface(const struct call *call) {
    const struct usbdevfs_setinterface *setting = (const struct usbdevfs_setinterface *)call->argument->data;
    struct interface *interface = device_interface(call->attachment->device, setting->interface);
    if (interface == NULL || interface->owner != call->client) return -EINVAL;
    interface->alternate_settings++;
    return interface_set_alternate(interface, setting->altsetting) ? 0 : -EINVAL;
}

int usbfs_kernel_driver(const struct call *call) {
    const struct usbdevfs_ioctl *inner = (const struct usbdevfs_ioctl *)call->argument->data;
    struct interface *interface = device_interface(call->attachment->device, (unsigned)inner->ifno);
    if (interface == NULL) return -EINVAL;
    switch ((unsigned)inner->ioctl_code) {
    case USBDEVFS_DISCONNECT: return -claim_detach_kernel_driver(interface);
    case USBDEVFS_CONNECT: {
        // 1 where a driver took the interface, 0 where none wanted it.
        int error = claim_attach_kernel_driver(interface);
        return error != 0 ? -error : interface->kernel_driver_is_bound;
    }
    default: return -ENOTTY;
    }
}

int usbfs_clear_halt(const struct call *call) {
    uint8_t endpoint = (uint8_t) * (const unsigned *)call->argument->data;
    struct interface *interface = device_interface_of(call->attachment->device, endpoint);
    if (interface == NULL) return -ENOENT;
    *(endpoint & 0x80 ? &interface->in_is_halted : &interface->out_is_halted) = false;
    interface->clear_halts++;
    return 0;
}
