// Written here rather than through umockdev's API: that wants the emulator itself preloaded, and then announces a device
// before its descriptors are there.
#include "sysfs.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "claims.h"
#include "descriptors.h"

static const char hub[] = "/sys/devices/usb1";

static void write_file(const char *syspath, const char *name, const void *content, size_t length) {
    g_autofree char *path = g_strdup_printf("%s%s/%s", bus.root, syspath, name);
    g_autoptr(GError) error = NULL;
    if (!g_file_set_contents_full(path, content, (gssize)length, G_FILE_SET_CONTENTS_NONE, 0644, &error)) {
        g_error("%s", error->message);
    }
}

// Attributes end with a newline, as the kernel's do.
static void add_attribute(const char *syspath, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void add_attribute(const char *syspath, const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *value = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *line = g_strconcat(value, "\n", NULL);
    write_file(syspath, name, line, strlen(line));
}

// A symbolic link in a folder of the test bed, which is made when it is not there.
static void add_link(const char *folder, const char *name, const char *target) {
    g_autofree char *real_folder = g_strconcat(bus.root, folder, NULL);
    g_autofree char *link = g_strconcat(real_folder, "/", name, NULL);
    g_mkdir_with_parents(real_folder, 0755);
    if (symlink(target, link) != 0) g_error("%s: %s", link, g_strerror(errno));
}

static void remove_file(const char *folder, const char *name) {
    g_autofree char *path = g_strconcat(bus.root, folder, "/", name, NULL);
    g_unlink(path);
}

// The folder of a device, with its entry in the list of the bus.
static void add_device(const char *syspath) {
    g_autofree char *folder = g_strconcat(bus.root, syspath, NULL);
    g_autofree char *target = g_strconcat("../../..", syspath + strlen("/sys"), NULL);
    g_autofree char *name = g_path_get_basename(syspath);
    g_mkdir_with_parents(folder, 0755);
    add_link("/sys/bus/usb/devices", name, target);
    // libudev looks at the last part of this link alone.
    add_link(syspath, "subsystem", "/sys/bus/usb");
}

// Moved aside rather than removed: that takes one step, where a disk needs milliseconds for each file. The test bed's end
// removes it all.
static void remove_device(const char *syspath) {
    static unsigned count;
    g_autofree char *folder = g_strconcat(bus.root, syspath, NULL);
    g_autofree char *name = g_path_get_basename(syspath);
    g_autofree char *aside = g_strdup_printf("%s/removed-%u", bus.root, count++);
    remove_file("/sys/bus/usb/devices", name);
    if (g_rename(folder, aside) != 0) g_error("%s: %s", folder, g_strerror(errno));
}

static void add_identity(const char *syspath, unsigned address, unsigned vendor, unsigned product) {
    add_attribute(syspath, "busnum", "1");
    add_attribute(syspath, "devnum", "%u", address);
    add_attribute(syspath, "bConfigurationValue", "1");
    add_attribute(syspath, "idVendor", "%04x", vendor);
    add_attribute(syspath, "idProduct", "%04x", product);
    add_attribute(syspath, "dev", "189:%u", address - 1);
    add_attribute(syspath, "uevent",
        "MAJOR=189\nMINOR=%u\nDEVNAME=bus/usb/001/%03u\nDEVTYPE=usb_device\nPRODUCT=%x/%x/100\nBUSNUM=001\nDEVNUM=%03u",
        address - 1, address, vendor, product, address);
}

void sysfs_add_hub(void) {
    static const uint8_t descriptors[] = {18, 1, 0, 2, 9, 0, 1, 64, 0x6B, 0x1D, 2, 0, 0, 6, 0, 0, 0, 1, //
        9, 2, 25, 0, 1, 1, 0, 0xE0, 0, //
        9, 4, 0, 0, 1, 9, 0, 0, 0, //
        7, 5, 0x81, 3, 4, 0, 12};
    add_device(hub);
    add_identity(hub, 1, 0x1D6B, 2);
    add_attribute(hub, "speed", "480");
    add_attribute(hub, "bDeviceClass", "09");
    write_file(hub, "descriptors", descriptors, sizeof descriptors);
}

static void add_interface(struct attachment *attachment, unsigned number) {
    const struct device *device = attachment->device;
    const struct alternate *alternate = interface_alternate(&device->interfaces[number]);
    char *syspath = g_strdup_printf("%s/1-%s:1.%u", attachment->syspath, device->port, number);
    attachment->interface_syspaths[number] = syspath;
    add_device(syspath);
    add_attribute(syspath, "bInterfaceNumber", "%02x", number);
    add_attribute(syspath, "bInterfaceClass", "%02x", alternate->interface_class);
    add_attribute(syspath, "bInterfaceSubClass", "%02x", alternate->subclass);
    add_attribute(syspath, "bInterfaceProtocol", "%02x", alternate->protocol);
    add_attribute(syspath, "uevent", "DEVTYPE=usb_interface\nPRODUCT=%x/%x/100\nINTERFACE=%u/%u/%u", device->vendor,
        device->product, alternate->interface_class, alternate->subclass, alternate->protocol);
}

// The number of the node, for umockdev's stat().
static void add_node_number(const struct attachment *attachment) {
    g_autofree char *name = g_strdup_printf("bus_usb_001_%03u", attachment->number);
    g_autofree char *number = g_strdup_printf("189:%u", attachment->number - 1);
    g_autofree char *target = g_strconcat("../..", attachment->syspath + strlen("/sys"), NULL);
    add_link("/dev/.node", name, number);
    add_link("/sys/dev/char", number, target);
}

void sysfs_add(struct attachment *attachment) {
    const struct device *device = attachment->device;
    char *syspath = g_strdup_printf("%s/1-%s", hub, device->port);
    attachment->syspath = syspath;
    add_device(syspath);
    add_identity(syspath, attachment->number, device->vendor, device->product);
    add_attribute(syspath, "devpath", "%s", device->port);
    add_attribute(syspath, "speed", "%u", device->packet == 512 ? 480u : 12u);
    add_attribute(syspath, "bDeviceClass", "00");
    add_attribute(syspath, "manufacturer", "%s", device->manufacturer);
    add_attribute(syspath, "product", "%s", device->model);
    if (device->serial != NULL) {
        add_attribute(syspath, "serial", "%.*s", (int)device->serial->len, (const char *)device->serial->data);
    }
    g_autoptr(GByteArray) descriptors = descriptors_of(device);
    write_file(syspath, "descriptors", descriptors->data, descriptors->len);
    for (unsigned i = 0; i < device->interface_count; i++) add_interface(attachment, i);
    add_node_number(attachment);
}

void sysfs_remove(struct attachment *attachment) {
    for (unsigned i = 0; i < INTERFACES_MAX; i++) {
        if (attachment->interface_syspaths[i] != NULL) remove_device(attachment->interface_syspaths[i]);
    }
    remove_device(attachment->syspath);
    g_autofree char *name = g_strdup_printf("bus_usb_001_%03u", attachment->number);
    g_autofree char *number = g_strdup_printf("189:%u", attachment->number - 1);
    remove_file("/dev/.node", name);
    remove_file("/sys/dev/char", number);
}

void sysfs_show_drivers(struct device *device) {
    for (unsigned i = 0; i < device->interface_count; i++) {
        struct interface *interface = &device->interfaces[i];
        const char *driver = device->attachment != NULL ? claim_driver(interface) : NULL;
        if (g_strcmp0(driver, interface->shown_driver) == 0) continue;
        interface->shown_driver = driver;
        // The folder of one that was unplugged is gone.
        if (device->attachment == NULL) continue;
        const char *folder = device->attachment->interface_syspaths[i];
        g_autofree char *target = g_strconcat("/sys/bus/usb/drivers/", driver, NULL);
        remove_file(folder, "driver");
        if (driver != NULL) add_link(folder, "driver", target);
    }
}
