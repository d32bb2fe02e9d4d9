// Bulk endpoints, packet by packet, with the faults that tests ask for.
#pragma once

#include "device.h"

// Takes packets of an OUT transfer; *done counts what was taken, over several calls. 0 when all of it was, NAK, -EPIPE, or
// -ESHUTDOWN when this is the byte at which somebody pulls the plug.
int endpoint_write(struct interface *interface, const uint8_t *bytes, size_t length, size_t *done);
// Bytes of an IN transfer, NAK when there is nothing to say, or -EPIPE.
int endpoint_read(struct interface *interface, uint8_t *bytes, size_t limit);
