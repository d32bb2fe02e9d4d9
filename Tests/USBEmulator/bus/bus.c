#include "bus.h"

#include <glib/gstdio.h>

#include "../printer/printer.h"
#include "attachment.h"
#include "clock.h"
#include "sysfs.h"
#include "transfers.h"

enum { TICK_MILLISECONDS = 2 };

struct bus bus;
static GMutex mutex;
static bool is_ticking;

void bus_start(void) {
    bus.testbed = umockdev_testbed_new();
    bus.root = umockdev_testbed_get_root_dir(bus.testbed);
    bus.devices = g_ptr_array_new();
    // An ordinary user's program makes its hotplug sockets here.
    g_chmod(bus.root, 01777);
    g_autofree char *others = g_strconcat(bus.root, "/ioctl/_default", NULL);
    g_chmod(others, 0666);
    sysfs_add_hub();
}

void bus_stop(void) { g_object_unref(bus.testbed); }

void bus_lock(void) { g_mutex_lock(&mutex); }

void bus_unlock(void) { g_mutex_unlock(&mutex); }

static gboolean tick(gpointer unused) {
    (void)unused;
    bus_lock();
    is_ticking = false;
    bus_settle();
    bus_unlock();
    return G_SOURCE_REMOVE;
}

static void advance_printers(struct device *device, int64_t now) {
    for (unsigned i = 0; i < device->interface_count; i++) printer_advance(device->interfaces[i].printer, now);
}

static bool has_moving_printer(const struct device *device) {
    for (unsigned i = 0; i < device->interface_count; i++) {
        if (printer_is_moving(device->interfaces[i].printer)) return true;
    }
    return false;
}

void bus_settle(void) {
    int64_t now = clock_now();
    bool waits = false;
    for (unsigned i = 0; i < bus.devices->len; i++) {
        struct device *device = g_ptr_array_index(bus.devices, i);
        sysfs_show_drivers(device);
        advance_printers(device, now);
        // Transfers fill what the printers emptied.
        if (device->attachment != NULL) waits |= transfers_run(device->attachment, now);
        waits |= has_moving_printer(device);
    }
    if (!waits || is_ticking || clock_is_manual()) return;
    is_ticking = true;
    g_timeout_add(TICK_MILLISECONDS, tick, NULL);
}
