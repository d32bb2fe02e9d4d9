#include "endpoints.h"

#include "../http/http.h"
#include "../printer/printer.h"
#include "clock.h"
#include "results.h"

// A packet is taken whole or not at all, as on the wire: a fault at byte N is met by the packet that holds byte N.
static bool is_reached(int64_t position, uint64_t offset, size_t packet) {
    return position >= 0 && offset + packet > (uint64_t)position;
}

static bool has_room(const struct interface *interface, size_t packet) {
    const struct faults *faults = &interface->faults;
    if (faults->credit >= 0 && (uint64_t)faults->credit < packet) return false;
    return packet <= (interface_is_ipp(interface) ? http_room(interface->http) : printer_room(interface->printer));
}

static bool take(struct interface *interface, const uint8_t *bytes, size_t packet) {
    if (interface_is_ipp(interface)) {
        if (!http_take(interface->http, bytes, packet)) return false;
    } else {
        printer_take(interface->printer, bytes, packet, clock_now());
    }
    if (interface->faults.credit >= 0) interface->faults.credit -= (int64_t)packet;
    interface->taken += packet;
    return true;
}

int endpoint_write(struct interface *interface, const uint8_t *bytes, size_t length, size_t *done) {
    struct faults *faults = &interface->faults;
    // Also where the transfer is empty, or was just done: a dead endpoint takes no zero-length packet either.
    for (;;) {
        if (interface->out_is_halted) return -EPIPE;
        if (*done == length) return 0;
        size_t packet = MIN(length - *done, interface->device->packet);
        if (is_reached(faults->unplug_at, interface->taken, packet)) {
            faults->unplug_at = -1;
            return -ESHUTDOWN;
        }
        if (is_reached(faults->stall_out_at, interface->taken, packet)) {
            faults->stall_out_at = -1;
            interface->out_is_halted = true;
            continue;
        }
        if (!has_room(interface, packet)) return NAK;
        // What should take the bytes is broken: a device whose firmware gave up stalls.
        if (!take(interface, bytes + *done, packet)) {
            interface->out_is_halted = true;
            continue;
        }
        *done += packet;
    }
}

int endpoint_read(struct interface *interface, uint8_t *bytes, size_t limit) {
    struct faults *faults = &interface->faults;
    if (faults->in_limit > 0) limit = MIN(limit, faults->in_limit);
    if (faults->stall_in_at >= 0) {
        uint64_t left = (uint64_t)faults->stall_in_at > interface->given ? (uint64_t)faults->stall_in_at - interface->given : 0;
        if (left == 0) {
            faults->stall_in_at = -1;
            interface->in_is_halted = true;
        } else {
            limit = MIN(limit, left);
        }
    }
    if (interface->in_is_halted) return -EPIPE;
    size_t count = interface_is_ipp(interface) ? http_read(interface->http, bytes, limit)
                                               : printer_read_answer(interface->printer, bytes, limit);
    interface->given += count;
    return count > 0 || faults->answers_empty ? (int)count : NAK;
}
