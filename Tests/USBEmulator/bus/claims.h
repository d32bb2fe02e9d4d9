// Who holds an interface: a client of this bus, the kernel's usblp, or some other program.
#pragma once

#include "device.h"
#include "peer.h"

// Each returns 0 or an errno, as usbfs does.
int claim(struct interface *interface, UMockdevIoctlClient *client);
int claim_release(struct interface *interface, UMockdevIoctlClient *client);
// USBDEVFS_DISCONNECT and USBDEVFS_CONNECT.
int claim_detach_kernel_driver(struct interface *interface);
int claim_attach_kernel_driver(struct interface *interface);
// "usblp", "usbfs", or NULL when nobody holds it.
const char *claim_driver(const struct interface *interface);

void claims_forget_closed(struct device *device, client_test *is_connected);
