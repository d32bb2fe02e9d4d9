// The bus: its devices, the lock over everything, and the work that any change may bring.
//
// Two threads: umockdev's worker brings the ioctls of the programs under test; the main thread has the control socket,
// HTTP connections, time and hotplug.
#pragma once

#include <glib.h>
#include <umockdev.h>

#include "device.h"

struct bus {
    UMockdevTestbed *testbed;
    char *root;         // the test bed's folder
    GPtrArray *devices; // struct device, by index
};

extern struct bus bus;

void bus_start(void);
void bus_stop(void);

void bus_lock(void);
void bus_unlock(void);
// Lets printers print and transfers go on as far as they can now, and comes back by itself while time is all that they
// wait for. Called with the lock, after whatever happened.
void bus_settle(void);
