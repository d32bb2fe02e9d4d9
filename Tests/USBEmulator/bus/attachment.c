#include "attachment.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus.h"
#include "peer.h"
#include "sysfs.h"
#include "transfers.h"
#include "uevent.h"
#include "usbfs.h"

enum { FIRST_NUMBER = 2, LAST_NUMBER = 127 };

static GQueue pulled = G_QUEUE_INIT; // until their traces are removed
static GQueue gone = G_QUEUE_INIT;   // until the last client closed the node

// Like the kernel, the next number that is free, beginning again after the last.
static unsigned next_number(void) {
    static unsigned number = FIRST_NUMBER - 1;
    for (;;) {
        number = number < LAST_NUMBER ? number + 1 : FIRST_NUMBER;
        bool is_taken = false;
        for (unsigned i = 0; i < bus.devices->len; i++) {
            const struct device *device = g_ptr_array_index(bus.devices, i);
            is_taken |= device->attachment != NULL && device->attachment->number == number;
        }
        if (!is_taken) return number;
    }
}

static const struct device *device_at(const char *port) {
    for (unsigned i = 0; i < bus.devices->len; i++) {
        const struct device *device = g_ptr_array_index(bus.devices, i);
        if (device->attachment != NULL && g_str_equal(device->port, port)) return device;
    }
    return NULL;
}

void attachment_set_rights(const struct attachment *attachment) {
    const struct device *device = attachment->device;
    const struct group *group = device->group != NULL ? getgrnam(device->group) : NULL;
    if (group != NULL && chown(attachment->file, (uid_t)-1, group->gr_gid) != 0) g_warning("chown: %s", g_strerror(errno));
    if (chmod(attachment->file, device->mode) != 0) g_warning("chmod: %s", g_strerror(errno));
}

static void make_node(struct attachment *attachment) {
    g_autofree char *folder = g_path_get_dirname(attachment->file);
    g_mkdir_with_parents(folder, 0755);
    unlink(attachment->file);
    if (mkfifo(attachment->file, 0600) != 0) g_error("mkfifo %s: %s", attachment->file, g_strerror(errno));
    attachment->gate = open(attachment->file, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (attachment->gate < 0) g_error("open %s: %s", attachment->file, g_strerror(errno));
    // One page: filled and emptied in one step.
    fcntl(attachment->gate, F_SETPIPE_SZ, 4096);
    attachment->gate_is_open = true;
    attachment_open_gate(attachment, false);
    attachment_set_rights(attachment);
}

void attachment_open_gate(struct attachment *attachment, bool is_open) {
    static char page[4096];
    if (is_open == attachment->gate_is_open || attachment->gate < 0) return;
    while ((is_open ? read(attachment->gate, page, sizeof page) : write(attachment->gate, page, sizeof page)) > 0) {}
    attachment->gate_is_open = is_open;
}

// Ioctls of a node arrive through a socket that umockdev serves. It is made once per address and kept: a program that opened
// the node just before the device went would be aborted by a socket that is gone. It gets ENODEV instead.
static void listen_to_ioctls(struct attachment *attachment) {
    static struct attachment *latest[LAST_NUMBER + 1];
    g_autoptr(GError) error = NULL;
    bool is_new = latest[attachment->number] == NULL;
    latest[attachment->number] = attachment;
    if (!is_new) return;
    UMockdevIoctlBase *handler = umockdev_ioctl_base_new();
    g_signal_connect(handler, "client-connected", G_CALLBACK(usbfs_opened), &latest[attachment->number]);
    g_signal_connect(handler, "handle-ioctl", G_CALLBACK(usbfs_ioctl), NULL);
    if (!umockdev_testbed_attach_ioctl(bus.testbed, attachment->node, handler, &error)) {
        g_error("%s: %s", attachment->node, error->message);
    }
    // Whoever may open the node may connect.
    g_autofree char *socket = g_strdup_printf("%s/ioctl/%s", bus.root, attachment->node);
    chmod(socket, 0666);
}

bool attachment_plug(struct device *device, GString *problem) {
    const struct device *other = device_at(device->port);
    if (device->attachment != NULL || other != NULL) {
        g_string_printf(problem, "port %s is taken by device %u", device->port, (other ? other : device)->index);
        return false;
    }
    struct attachment *attachment = g_new0(struct attachment, 1);
    attachment->device = device;
    attachment->number = next_number();
    attachment->clients = g_ptr_array_new_with_free_func(g_object_unref);
    attachment->node = g_strdup_printf("/dev/bus/usb/001/%03u", attachment->number);
    attachment->file = g_strconcat(bus.root, attachment->node, NULL);
    sysfs_add(attachment);
    // Before the node: who finds no socket for a node that is there gets a wrong answer.
    listen_to_ioctls(attachment);
    make_node(attachment);
    for (unsigned i = 0; i < device->interface_count; i++) {
        struct interface *interface = &device->interfaces[i];
        interface->kernel_driver_is_bound = interface->has_kernel_driver;
        interface->shown_driver = NULL;
    }
    device->attachment = attachment;
    device->plugs++;
    uevent_queue(attachment, "add");
    return true;
}

static gboolean clear_away_later(gpointer unused) {
    (void)unused;
    attachment_clear_away();
    return G_SOURCE_REMOVE;
}

void attachment_pull(struct device *device) {
    struct attachment *attachment = device->attachment;
    attachment->is_gone = true;
    device->attachment = NULL;
    transfers_fail(attachment, -ESHUTDOWN);
    for (unsigned i = 0; i < device->interface_count; i++) {
        g_clear_object(&device->interfaces[i].owner);
        device->interfaces[i].kernel_driver_is_bound = false;
    }
    device_reset(device);
    g_queue_push_tail(&pulled, attachment);
    g_idle_add(clear_away_later, NULL);
}

static void close_gates(void) {
    bus_lock();
    GList *next;
    for (GList *link = gone.head; link != NULL; link = next) {
        struct attachment *attachment = link->data;
        next = link->next;
        transfers_forget_closed(attachment, peer_is_connected);
        if (attachment->clients->len > 0) continue;
        close(attachment->gate);
        attachment->gate = -1;
        g_queue_delete_link(&gone, link);
    }
    bus_unlock();
}

void attachment_clear_away(void) {
    for (;;) {
        bus_lock();
        struct attachment *attachment = g_queue_pop_head(&pulled);
        bus_unlock();
        if (attachment == NULL) break;
        sysfs_remove(attachment);
        unlink(attachment->file);
        uevent_queue(attachment, "remove");
        g_queue_push_tail(&gone, attachment);
    }
    close_gates();
    uevent_send_queued();
}
