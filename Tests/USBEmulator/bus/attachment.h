// A device's time on the bus, from being plugged in to being unplugged: its node, its place in sysfs, its transfers.
//
// Clients may hold a node open after the device is gone; they get ENODEV for ever, also when the device is back under a
// new number. So an attachment is never freed.
#pragma once

#include "device.h"

struct attachment {
    struct device *device;
    bool is_gone;
    unsigned number; // the device's address on the bus
    char *node;      // "/dev/bus/usb/001/005"
    char *file;      // the node in the test bed
    char *syspath;
    char *interface_syspaths[INTERFACES_MAX];
    GPtrArray *clients; // UMockdevIoctlClient: who has the node open

    // The node is a FIFO, since the preloaded library does not wrap poll(): usbfs reports POLLOUT while there are
    // transfers to reap, and a FIFO reports it while it has room.
    int gate;
    bool gate_is_open;

    GQueue pending, held, ready; // struct transfer
};

// Plugs a device in, on the main thread; the event is queued. False with a reason when its port is taken.
bool attachment_plug(struct device *device, GString *problem);
// Takes the device off the bus: every transfer ends, every call fails from now on. Any thread; attachment_clear_away()
// does the rest.
void attachment_pull(struct device *device);
// Removes the traces of pulled devices and queues their events; main thread.
void attachment_clear_away(void);

void attachment_set_rights(const struct attachment *attachment);
// Lets whoever polls the node wake up, or sleep.
void attachment_open_gate(struct attachment *attachment, bool is_open);
