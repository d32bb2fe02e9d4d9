// USB descriptors of a device, as its node in sysfs and endpoint 0 give them. (USB 2.0, chapter 9.)
#pragma once

#include <glib.h>

#include "device.h"

enum { DEVICE_DESCRIPTOR_LENGTH = 18 };

// The device descriptor and, behind it, the only configuration with all interfaces and endpoints.
GByteArray *descriptors_of(const struct device *device);
// String descriptor `index` (0: the languages); NULL when there is none.
GByteArray *string_descriptor(const struct device *device, unsigned index);
