#include "transfers.h"

#include <linux/usbdevice_fs.h>
#include <stddef.h>

#include "clock.h"
#include "claims.h"
#include "control_requests.h"
#include "endpoints.h"
#include "results.h"

static struct usbdevfs_urb *urb_of(const struct transfer *transfer) { return (struct usbdevfs_urb *)transfer->urb->data; }

static bool is_control(const struct transfer *transfer) { return urb_of(transfer)->type == USBDEVFS_URB_TYPE_CONTROL; }

static struct interface *interface_of(struct attachment *attachment, const struct transfer *transfer) {
    return is_control(transfer) ? NULL : device_interface_of(attachment->device, urb_of(transfer)->endpoint);
}

void transfer_free(struct transfer *transfer) {
    g_clear_object(&transfer->buffer);
    g_object_unref(transfer->urb);
    g_object_unref(transfer->client);
    g_free(transfer);
}

// Whether the kernel has memory for one more (its usbfs_memory_mb). It has lent what has not been reaped yet.
static bool has_memory(struct attachment *attachment, struct interface *interface, const struct usbdevfs_urb *request) {
    if (interface == NULL || interface->faults.memory < 0 || request->endpoint & 0x80) return true;
    int64_t lent = request->buffer_length;
    GQueue *queues[] = {&attachment->pending, &attachment->held, &attachment->ready};
    for (int i = 0; i < 3; i++) {
        for (GList *link = queues[i]->head; link != NULL; link = link->next) {
            const struct usbdevfs_urb *urb = urb_of(link->data);
            if (urb->endpoint == request->endpoint) lent += urb->buffer_length;
        }
    }
    return lent <= interface->faults.memory;
}

int transfers_submit(struct attachment *attachment, UMockdevIoctlClient *client, UMockdevIoctlData *urb) {
    const struct usbdevfs_urb *request = (const struct usbdevfs_urb *)urb->data;
    struct transfer *transfer = g_new0(struct transfer, 1);
    transfer->urb = g_object_ref(urb);
    transfer->client = g_object_ref(client);
    struct interface *interface = interface_of(attachment, transfer);
    // The kernel would claim the interface on the fly, with a warning in its log; here that is an error.
    if (!is_control(transfer) && (interface == NULL || interface->owner != client)) {
        transfer_free(transfer);
        return ENOENT;
    }
    if (!has_memory(attachment, interface, request)) {
        interface->refused++;
        transfer_free(transfer);
        return ENOMEM;
    }
    if (request->buffer_length > 0) {
        size_t offset = offsetof(struct usbdevfs_urb, buffer);
        transfer->buffer = umockdev_ioctl_data_resolve(urb, offset, (gsize)request->buffer_length, NULL);
        if (transfer->buffer == NULL) {
            transfer_free(transfer);
            return EFAULT;
        }
    }
    bool is_empty = request->buffer_length == 0;
    if (interface != NULL && (is_empty || request->flags & USBDEVFS_URB_ZERO_PACKET)) interface->zero_packets++;
    g_queue_push_tail(&attachment->pending, transfer);
    return 0;
}

// Takes it from `queue`, which may be NULL, and lets the client reap it, at once or after the interface's delay.
static void finish(struct attachment *attachment, GQueue *queue, struct transfer *transfer, int status, size_t done) {
    struct usbdevfs_urb *urb = urb_of(transfer);
    struct interface *interface = interface_of(attachment, transfer);
    if (queue != NULL) g_queue_remove(queue, transfer);
    urb->status = status;
    urb->actual_length = (int)done;
    bool is_held_back = queue == &attachment->pending && interface != NULL && interface->faults.delay > 0 && status == 0;
    if (is_held_back) transfer->due = clock_now() + (int64_t)interface->faults.delay * 1000;
    if (interface != NULL && !is_held_back) {
        const char *direction = urb->endpoint & 0x80 ? "in" : "out";
        records_add(&interface->transfers, "%s,%d/%d,%d", direction, urb->actual_length, urb->buffer_length, status);
    }
    g_queue_push_tail(is_held_back ? &attachment->held : &attachment->ready, transfer);
}

bool transfers_discard(struct attachment *attachment, UMockdevIoctlClient *client, gulong address) {
    GQueue *queues[] = {&attachment->pending, &attachment->held};
    for (int i = 0; i < 2; i++) {
        for (GList *link = queues[i]->head; link != NULL; link = link->next) {
            struct transfer *transfer = link->data;
            if (transfer->client != client || transfer->urb->client_addr != address) continue;
            finish(attachment, queues[i], transfer, -ENOENT, i == 0 ? transfer->done : (size_t)urb_of(transfer)->actual_length);
            return true;
        }
    }
    return false;
}

struct transfer *transfers_reap(struct attachment *attachment, UMockdevIoctlClient *client) {
    for (GList *link = attachment->ready.head; link != NULL; link = link->next) {
        struct transfer *transfer = link->data;
        if (transfer->client != client) continue;
        g_queue_delete_link(&attachment->ready, link);
        return transfer;
    }
    return NULL;
}

// Does what can be done of one transfer: its status (0 or -errno) with *done, or NAK.
static int step(struct attachment *attachment, struct transfer *transfer, size_t *done) {
    const struct usbdevfs_urb *urb = urb_of(transfer);
    uint8_t *bytes = transfer->buffer != NULL ? transfer->buffer->data : NULL;
    size_t length = (size_t)urb->buffer_length;
    struct interface *interface = interface_of(attachment, transfer);
    int result;
    if (is_control(transfer)) {
        enum { SETUP_LENGTH = 8 };
        if (length < SETUP_LENGTH) return -EINVAL;
        size_t data_length = (size_t)(bytes[6] | bytes[7] << 8);
        if (length < SETUP_LENGTH + data_length) return -EINVAL;
        result = control_request(attachment->device, bytes, bytes + SETUP_LENGTH);
        *done = result < 0 ? 0 : bytes[0] & 0x80 ? (size_t)result : data_length;
    } else if (interface == NULL) {
        return -EPIPE;
    } else if (urb->endpoint & 0x80) {
        result = endpoint_read(interface, bytes, length);
        *done = result < 0 ? 0 : (size_t)result;
    } else {
        result = endpoint_write(interface, bytes, length, &transfer->done);
        *done = transfer->done;
    }
    return result < 0 ? result : 0;
}

bool transfers_run(struct attachment *attachment, int64_t now) {
    uint32_t waiting = 0; // a bit per endpoint, OUT in the lower half
    GList *next;
    transfers_forget_closed(attachment, umockdev_ioctl_client_get_connected);
    for (GList *link = attachment->pending.head; link != NULL; link = next) {
        struct transfer *transfer = link->data;
        uint8_t endpoint = urb_of(transfer)->endpoint;
        uint32_t bit = 1u << ((endpoint & 0x0F) + (endpoint & 0x80 ? 16 : 0));
        size_t done = 0;
        next = link->next;
        if (waiting & bit) continue;
        int status = step(attachment, transfer, &done);
        if (status == NAK) {
            waiting |= bit;
            continue;
        }
        finish(attachment, &attachment->pending, transfer, status, done);
        if (status == -ESHUTDOWN) {
            attachment_pull(attachment->device);
            return false;
        }
    }
    for (GList *link = attachment->held.head; link != NULL; link = next) {
        struct transfer *transfer = link->data;
        next = link->next;
        if (transfer->due <= now) finish(attachment, &attachment->held, transfer, 0, (size_t)urb_of(transfer)->actual_length);
    }
    attachment_open_gate(attachment, attachment->ready.head != NULL);
    return attachment->held.head != NULL;
}

void transfers_fail(struct attachment *attachment, int status) {
    GQueue *queues[] = {&attachment->pending, &attachment->held};
    for (int i = 0; i < 2; i++) {
        for (struct transfer *transfer; (transfer = g_queue_pop_head(queues[i])) != NULL;) {
            size_t done = i == 0 ? transfer->done : (size_t)urb_of(transfer)->actual_length;
            finish(attachment, NULL, transfer, status, done);
        }
    }
    attachment_open_gate(attachment, attachment->ready.head != NULL);
}

void transfers_forget_closed(struct attachment *attachment, client_test *is_connected) {
    GQueue *queues[] = {&attachment->pending, &attachment->held, &attachment->ready};
    for (int i = 0; i < 3; i++) {
        GList *next;
        for (GList *link = queues[i]->head; link != NULL; link = next) {
            struct transfer *transfer = link->data;
            next = link->next;
            if (is_connected(transfer->client)) continue;
            g_queue_delete_link(queues[i], link);
            transfer_free(transfer);
        }
    }
    for (guint i = attachment->clients->len; i-- > 0;) {
        UMockdevIoctlClient *client = g_ptr_array_index(attachment->clients, i);
        if (!is_connected(client)) g_ptr_array_remove_index_fast(attachment->clients, i);
    }
    claims_forget_closed(attachment->device, is_connected);
}
