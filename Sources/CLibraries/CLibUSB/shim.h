#pragma once

#include <libusb.h>
#include <sys/time.h>
#include <time.h>

/// Handles events until one came or the time is over. `struct timeval` may belong to several clang modules at once, and
/// Swift then gives no access to its members.
static inline int clibusb_handle_events(libusb_context *context, int milliseconds) {
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    return libusb_handle_events_timeout_completed(context, &time, NULL);
}

/// Lets the calling thread sleep.
static inline void clibusb_pause(int milliseconds) {
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}
