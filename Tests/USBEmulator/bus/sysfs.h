// Devices in the test bed's /sys, as libusb and libudev look for them.
#pragma once

#include "attachment.h"

// The root hub of the only bus.
void sysfs_add_hub(void);
// Sets the attachment's paths.
void sysfs_add(struct attachment *attachment);
void sysfs_remove(struct attachment *attachment);
// Which driver has each interface, where that changed since it was shown.
void sysfs_show_drivers(struct device *device);
