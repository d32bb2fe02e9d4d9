// An emulated USB device and its interfaces: what it is, what is behind it, and what is wrong with it.
//
// It outlives being unplugged; each time it is plugged in it gets a new struct attachment.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <umockdev.h>

enum { INTERFACES_MAX = 4, ALTERNATES_MAX = 4, RECORDS_MAX = 64 };

struct attachment;
struct http;
struct printer;

struct alternate {
    uint8_t interface_class, subclass, protocol;
};

// How GET_DEVICE_ID states the length: two bytes, high one first, that count themselves, in a printer that keeps to the
// standard (IEEE 1284, section 7.6).
enum length_form { LENGTH_STANDARD, LENGTH_LITTLE_ENDIAN, LENGTH_EXCLUSIVE, LENGTH_OVERSIZE, LENGTH_ZERO };

// What happens to transfers. Byte offsets count what the interface took (or gave) since it was made; -1 is "never".
struct faults {
    int64_t credit; // bytes that are still accepted before the endpoint answers NAK; -1: no limit
    int64_t stall_out_at, stall_in_at, unplug_at;
    int64_t memory; // bytes of OUT transfers under way for which the kernel has memory; -1: any number
    unsigned delay; // milliseconds that each finished transfer is held back
    unsigned in_limit; // bytes of an IN transfer at most; 0: no limit
    bool answers_empty; // an IN transfer that there is nothing for ends empty, instead of waiting
};

// What one bulk transfer came to, or one control request.
struct record {
    char text[40];
};

struct records {
    struct record ring[RECORDS_MAX];
    unsigned count;
};

struct interface {
    struct device *device;
    unsigned number;
    struct alternate alternates[ALTERNATES_MAX];
    unsigned alternate_count, alternate;
    bool is_described; // by --interface; else it is a plain printer

    GByteArray *device_id;
    enum length_form device_id_length;

    // One of the two serves the bulk endpoints: HTTP where the alternate setting is IPP over USB, else the printer.
    struct printer *printer;
    struct http *http;
    const char *shown_driver; // as /sys has it

    // Who holds it: the kernel's usblp, another program, or a client of this bus.
    bool has_kernel_driver, kernel_driver_is_bound, is_busy;
    UMockdevIoctlClient *owner;

    bool out_is_halted, in_is_halted;
    struct faults faults;

    uint64_t taken, given, zero_packets;
    unsigned claims, releases, refused, soft_resets, clear_halts, alternate_settings;
    struct records transfers;
};

struct device {
    unsigned index;
    uint16_t vendor, product;
    unsigned packet; // of bulk endpoints: 512 at high speed, 64 at full speed
    char *manufacturer, *model;
    GByteArray *serial;            // UTF-8; none: the device has no serial number
    GByteArray *serial_descriptor; // the string descriptor's content, where it is not just the serial in UTF-16
    char *port;                    // "1", or "2.3" behind a hub
    mode_t mode;                   // of its node
    char *group;

    struct interface interfaces[INTERFACES_MAX];
    unsigned interface_count;

    struct attachment *attachment; // NULL while it is not plugged in
    unsigned stalled_request, ignored_request; // bmRequestType << 8 | bRequest; 0: none

    unsigned opens, plugs, resets;
    struct records requests;
};

struct device *device_new(unsigned index);
// The next interface; NULL when there are INTERFACES_MAX.
struct interface *device_add_interface(struct device *device);

const struct alternate *interface_alternate(const struct interface *interface);
// Class 7, subclass 1, protocol 4: HTTP instead of print data.
bool interface_is_ipp(const struct interface *interface);
bool interface_can_read(const struct interface *interface);
bool interface_set_alternate(struct interface *interface, unsigned alternate);

// Endpoint addresses: 01h and 82h for interface 0, 03h and 84h for the next, and so on.
uint8_t interface_out(const struct interface *interface);
uint8_t interface_in(const struct interface *interface);
struct interface *device_interface_of(struct device *device, uint8_t endpoint);
struct interface *device_interface(struct device *device, unsigned number);

// What a cable's end does to halts, alternate settings and HTTP.
void device_reset(struct device *device);

void records_add(struct records *records, const char *format, ...) G_GNUC_PRINTF(2, 3);
