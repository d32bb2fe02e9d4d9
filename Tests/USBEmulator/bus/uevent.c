#include "uevent.h"

#include <arpa/inet.h>
#include <glob.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus.h"

// The header of udevd's messages (systemd, src/libsystemd/sd-device/device-monitor.c). Monitors filter by the hashes
// (MurmurHash2) of subsystem and device type, in the kernel.
struct header {
    char prefix[8];
    uint32_t magic, header_size, properties_offset, properties_length;
    uint32_t subsystem_hash, device_type_hash, tag_bloom_high, tag_bloom_low;
};

enum { MAGIC = 0xFEEDCAFE, HASH_OF_USB = 0x577C5E5, HASH_OF_USB_DEVICE = 0x27F8F50C, PATIENCE_SECONDS = 10 };

static GQueue queue = G_QUEUE_INIT; // GByteArray; main thread
static bool is_silent;

void uevent_set_silent(bool silent) { is_silent = silent; }

static void add_property(GByteArray *message, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add_property(GByteArray *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *property = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_byte_array_append(message, (const guint8 *)property, strlen(property) + 1);
}

void uevent_queue(const struct attachment *attachment, const char *action) {
    static unsigned sequence;
    if (is_silent) return;
    const struct device *device = attachment->device;
    struct header header = {
        .prefix = "libudev",
        .magic = htonl(MAGIC),
        .header_size = sizeof header,
        .properties_offset = sizeof header,
        .subsystem_hash = htonl(HASH_OF_USB),
        .device_type_hash = htonl(HASH_OF_USB_DEVICE),
    };
    GByteArray *message = g_byte_array_new();
    g_byte_array_append(message, (const guint8 *)&header, sizeof header);
    add_property(message, "ACTION=%s", action);
    add_property(message, "DEVPATH=%s", attachment->syspath + strlen("/sys"));
    add_property(message, "SUBSYSTEM=usb");
    add_property(message, "SEQNUM=%u", ++sequence);
    add_property(message, "DEVTYPE=usb_device");
    add_property(message, "DEVNAME=%s", attachment->node);
    add_property(message, "MAJOR=189");
    add_property(message, "MINOR=%u", attachment->number - 1);
    add_property(message, "BUSNUM=001");
    add_property(message, "DEVNUM=%03u", attachment->number);
    add_property(message, "PRODUCT=%x/%x/100", device->vendor, device->product);
    ((struct header *)message->data)->properties_length = message->len - sizeof header;
    g_queue_push_tail(&queue, message);
}

static void send_to(const char *path, const GByteArray *message) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    g_strlcpy(address.sun_path, path, sizeof address.sun_path);
    int monitor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    setsockopt(monitor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(monitor, (struct sockaddr *)&address, sizeof address) != 0) {
        // Left behind by a monitor that was closed.
        if (errno == ECONNREFUSED) unlink(path);
    } else if (send(monitor, message->data, message->len, MSG_NOSIGNAL) < 0 && errno != ECONNREFUSED) {
        g_warning("a hotplug event was not taken: %s", g_strerror(errno));
    }
    close(monitor);
}

void uevent_send_queued(void) {
    g_autofree char *pattern = g_strconcat(bus.root, "/event*", NULL);
    for (GByteArray *message; (message = g_queue_pop_head(&queue)) != NULL;) {
        glob_t monitors;
        if (glob(pattern, GLOB_NOSORT, NULL, &monitors) == 0) {
            for (size_t i = 0; i < monitors.gl_pathc; i++) send_to(monitors.gl_pathv[i], message);
            globfree(&monitors);
        }
        g_byte_array_free(message, TRUE);
    }
}
