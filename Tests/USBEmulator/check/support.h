// What the checks share: the control socket, libusb, and expectations. A check is an ordinary program that uses the real
// libusb inside the emulator.
#pragma once

#include <libusb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUT = 0x01, IN = 0x82, SECOND_OUT = 0x03, SECOND_IN = 0x84, LONG = 20000, SHORT = 100 };

// Says what failed, with file and line, and goes on.
#define EXPECT(condition, ...) expect((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)
void expect(bool is_true, const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// A return code of libusb.
#define EXPECT_CODE(result, code) expect_code((result), (code), __FILE__, __LINE__)
void expect_code(int result, int code, const char *file, int line);
// Bytes, shown in hex when they differ.
#define EXPECT_BYTES(bytes, count, ...) \
    expect_bytes((bytes), (count), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), __FILE__, __LINE__)
void expect_bytes(const uint8_t *bytes, size_t count, const uint8_t *expected, size_t expected_count, const char *file, int line);
// The exit status of the check.
int finish(void);

// Sends a line to the emulator; a refusal fails the check. Returns the answer behind "ok", until the next call.
const char *control(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Sends a line that must be refused, and returns the reason.
const char *control_refused(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A number from "0 stats" or such.
uint64_t statistic(const char *address, const char *name);

libusb_context *start_libusb(void);
// Opens the only device with these ids; ends the check when there is none.
libusb_device_handle *open_device(libusb_context *context, uint16_t vendor, uint16_t product);
// The printer that the emulator has when no other is described, with interface 0 claimed.
libusb_device_handle *open_printer(libusb_context *context);
// Devices of the bus but for its root hub.
int count_devices(libusb_context *context);
// Lets libusb handle events until *count is at least `target`; false after half a minute.
bool wait_for_count(libusb_context *context, const int *count, int target);

// A transfer that must succeed in full.
void write_all(libusb_device_handle *handle, const void *bytes, size_t count);
#define WRITE(handle, ...) \
    write_all((handle), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
// Reads what there is within a second; the count.
size_t read_some(libusb_device_handle *handle, uint8_t *bytes, size_t limit);
// Whether there is nothing to read.
bool is_silent(libusb_device_handle *handle);

// Makes the interface print into a new file in the test bed and returns its path.
const char *use_paper(const char *address);
// The paper's content; the caller frees it.
uint8_t *read_paper(const char *path, size_t *count);
