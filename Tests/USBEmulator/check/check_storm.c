// A program that opens, claims and writes all the time, while the device comes and goes: it meets errors, and nothing worse.
#include <pthread.h>
#include <stdatomic.h>

#include "support.h"

enum { ROUNDS = 150 };

static atomic_bool is_over;
static atomic_int opens, written;

static void *use_devices(void *unused) {
    static uint8_t text[1500];
    libusb_context *context = start_libusb();
    while (!is_over) {
        libusb_device_handle *handle = libusb_open_device_with_vid_pid(context, 0x04B8, 0x0E15);
        int taken;
        if (handle == NULL) continue;
        opens++;
        if (libusb_claim_interface(handle, 0) == 0 && libusb_bulk_transfer(handle, OUT, text, sizeof text, &taken, LONG) == 0) {
            written++;
        }
        libusb_close(handle);
    }
    libusb_exit(context);
    return unused;
}

int main(void) {
    pthread_t thread;
    control("0 language none");
    pthread_create(&thread, NULL, use_devices, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        control("0 unplug");
        control("0 plug");
        // From time to time it stays until it was used.
        for (int before = written; i % 10 == 0 && written == before;) control("0 stats");
    }
    is_over = true;
    pthread_join(thread, NULL);
    EXPECT(statistic("0", "plugs") == 1 + ROUNDS, "plugged in");
    EXPECT(statistic("0", "taken") == statistic("0", "printed"), "printed what it took");
    EXPECT(opens >= written && written >= ROUNDS / 10, "%d opens, %d written", opens, written);
    return finish();
}
