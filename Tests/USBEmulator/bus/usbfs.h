// The kernel's side of a node below /dev/bus/usb: its ioctls. (linux/usbdevice_fs.h; drivers/usb/core/devio.c.)
#pragma once

#include "attachment.h"

// Handlers of UMockdevIoctlBase's signals, on umockdev's thread. A client belongs to the attachment that was the latest of its
// node's address when it opened the node.
void usbfs_opened(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, struct attachment *const *latest);
gboolean usbfs_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer unused);
