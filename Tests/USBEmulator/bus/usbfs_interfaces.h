// The calls of usbfs that are about interfaces: claims, drivers, alternate settings, halts.
#pragma once

#include "attachment.h"

// One call. `argument` is what its third argument points to, NULL where that is a plain number or nothing.
struct call {
    struct attachment *attachment;
    UMockdevIoctlClient *client;
    gulong request, address;
    UMockdevIoctlData *argument;
};

// The last owner's close() is seen a moment later than the claim that follows it: ask again.
enum { CLAIM_LATER = -200000 };

// Each returns what libusb gets: 0 or more, or -errno.
int usbfs_get_driver(const struct call *call);
int usbfs_claim(const struct call *call); // or CLAIM_LATER
int usbfs_release(const struct call *call);
int usbfs_set_interface(const struct call *call);
int usbfs_kernel_driver(const struct call *call);
int usbfs_clear_halt(const struct call *call);

// The interface that a call's argument begins with the number of; NULL when the device has none.
struct interface *usbfs_interface(const struct call *call);
