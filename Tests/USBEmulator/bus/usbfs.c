#include "usbfs.h"

#include <linux/usbdevice_fs.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "bus.h"
#include "claims.h"
#include "control_requests.h"
#include "peer.h"
#include "results.h"
#include "transfers.h"
#include "usbfs_interfaces.h"

enum { CLAIM_RETRY_MILLISECONDS = 5, CLAIM_RETRIES = 40 };

// The ioctls return what libusb gets: 0 or more, or -errno.

static int get_capabilities(const struct call *call) {
    *(uint32_t *)call->argument->data = USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_NO_PACKET_SIZE_LIM
                                      | USBDEVFS_CAP_BULK_SCATTER_GATHER | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
    return 0;
}

static int reset(const struct call *call) {
    call->attachment->device->resets++;
    device_reset(call->attachment->device);
    return 0;
}

static int control(const struct call *call) {
    struct usbdevfs_ctrltransfer *transfer = (struct usbdevfs_ctrltransfer *)call->argument->data;
    g_autoptr(UMockdevIoctlData) data = NULL;
    if (transfer->wLength > 0) {
        size_t offset = offsetof(struct usbdevfs_ctrltransfer, data);
        data = umockdev_ioctl_data_resolve(call->argument, offset, transfer->wLength, NULL);
        if (data == NULL) return -EFAULT;
    }
    int result = control_request(call->attachment->device, (const uint8_t *)transfer, data != NULL ? data->data : NULL);
    return result == NAK ? -ETIMEDOUT : result;
}

static int reap(const struct call *call) {
    struct transfer *transfer = transfers_reap(call->attachment, call->client);
    if (transfer == NULL) return call->attachment->is_gone ? -ENODEV : -EAGAIN;
    // Completing the call writes the URB, its data and this pointer into the client's memory.
    umockdev_ioctl_data_set_ptr(call->argument, 0, transfer->urb);
    transfer_free(transfer);
    return 0;
}

static int serve(const struct call *call) {
    bool works_without_device = call->request == USBDEVFS_REAPURB || call->request == USBDEVFS_REAPURBNDELAY
                             || call->request == USBDEVFS_DISCARDURB;
    if (call->attachment->is_gone && !works_without_device) return -ENODEV;
    if (_IOC_SIZE(call->request) > 0 && call->argument == NULL) return -EFAULT;
    switch (call->request) {
    case USBDEVFS_GET_CAPABILITIES: return get_capabilities(call);
    case USBDEVFS_GET_SPEED: return call->attachment->device->packet == 512 ? 3 : 2;
    case USBDEVFS_GETDRIVER: return usbfs_get_driver(call);
    case USBDEVFS_CLAIMINTERFACE:
    case USBDEVFS_DISCONNECT_CLAIM: return usbfs_claim(call);
    case USBDEVFS_RELEASEINTERFACE: return usbfs_release(call);
    case USBDEVFS_SETINTERFACE: return usbfs_set_interface(call);
    case USBDEVFS_SETCONFIGURATION: return 0;
    case USBDEVFS_IOCTL: return usbfs_kernel_driver(call);
    case USBDEVFS_CLEAR_HALT:
    case USBDEVFS_RESETEP: return usbfs_clear_halt(call);
    case USBDEVFS_RESET: return reset(call);
    case USBDEVFS_CONTROL: return control(call);
    case USBDEVFS_SUBMITURB: return -transfers_submit(call->attachment, call->client, call->argument);
    case USBDEVFS_DISCARDURB: return transfers_discard(call->attachment, call->client, call->address) ? 0 : -EINVAL;
    case USBDEVFS_REAPURB:
    case USBDEVFS_REAPURBNDELAY: return reap(call);
    default: return -ENOTTY;
    }
}

static void complete(UMockdevIoctlClient *client, int result) {
    umockdev_ioctl_client_complete(client, result < 0 ? -1 : result, result < 0 ? -result : 0);
}

struct late_claim {
    struct attachment *attachment;
    UMockdevIoctlClient *client;
    unsigned interface, tries;
};

// On the main thread.
static gboolean claim_again(gpointer data) {
    struct late_claim *late = data;
    bus_lock();
    struct device *device = late->attachment->device;
    // Asking costs a system call for each client: only who stands in the way is asked.
    transfers_forget_closed(late->attachment, peer_is_connected);
    int result = late->attachment->is_gone ? ENODEV : claim(&device->interfaces[late->interface], late->client);
    bus_unlock();
    if (result == EBUSY && ++late->tries < CLAIM_RETRIES) return G_SOURCE_CONTINUE;
    complete(late->client, -result);
    g_object_unref(late->client);
    g_free(late);
    return G_SOURCE_REMOVE;
}

void usbfs_opened(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, struct attachment *const *latest) {
    (void)handler;
    bus_lock();
    struct attachment *attachment = *latest;
    g_object_set_data(G_OBJECT(client), "attachment", attachment);
    attachment->device->opens++;
    peer_note(client);
    g_ptr_array_add(attachment->clients, g_object_ref(client));
    bus_unlock();
}

gboolean usbfs_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer unused) {
    (void)handler;
    (void)unused;
    struct attachment *attachment = g_object_get_data(G_OBJECT(client), "attachment");
    UMockdevIoctlData *third = umockdev_ioctl_client_get_arg(client);
    struct call call = {
        .attachment = attachment,
        .client = client,
        .request = umockdev_ioctl_client_get_request(client),
        .address = *(const gulong *)third->data,
    };
    g_autoptr(UMockdevIoctlData) argument = NULL;
    if (_IOC_SIZE(call.request) > 0 && call.address != 0) {
        argument = umockdev_ioctl_data_resolve(third, 0, _IOC_SIZE(call.request), NULL);
    }
    call.argument = argument;
    bus_lock();
    int result = serve(&call);
    if (result == CLAIM_LATER) {
        struct late_claim *late = g_new0(struct late_claim, 1);
        late->attachment = attachment;
        late->client = g_object_ref(client);
        late->interface = usbfs_interface(&call)->number;
        g_timeout_add(CLAIM_RETRY_MILLISECONDS, claim_again, late);
    } else {
        bus_settle();
    }
    bus_unlock();
    if (result != CLAIM_LATER) complete(client, result);
    return TRUE;
}
