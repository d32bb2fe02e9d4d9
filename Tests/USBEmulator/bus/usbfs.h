// The kernel's side of a node below /dev/bus/usb: its ioctls. (linux/usbdevice_fs.h; drivers/usb/core/devio.c.)
#pragma once

#include "attachment.h"

// Handlers of UMockdevIoctlBase's signals, on umockdev's thread.
void usbfs_opened(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, struct attachment *attachment);
gboolean usbfs_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, struct attachment *attachment);
