// Endpoint 0.
#pragma once

#include "device.h"

// Serves a request; `setup` is its 8 bytes, `data` has room for what the setup says. Bytes returned, 0 for a request that
// sends data, -EPIPE when the device stalls, NAK.
int control_request(struct device *device, const uint8_t setup[8], uint8_t *data);
