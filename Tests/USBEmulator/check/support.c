#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int failures, expectations;

void expect(bool is_true, const char *file, int line, const char *condition, const char *format, ...) {
    expectations++;
    if (is_true) return;
    failures++;
    printf("%s:%d: %s: ", file, line, condition);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

void expect_code(int result, int code, const char *file, int line) {
    expect(result == code, file, line, libusb_error_name(code), "got %s (%d)", libusb_error_name(result), result);
}

void expect_bytes(
    const uint8_t *bytes, size_t count, const uint8_t *expected, size_t expected_count, const char *file, int line) {
    char hex[2][200] = {"", ""};
    for (size_t i = 0; i < count && i < 40; i++) sprintf(hex[0] + 3 * i, "%02x ", bytes[i]);
    for (size_t i = 0; i < expected_count && i < 40; i++) sprintf(hex[1] + 3 * i, "%02x ", expected[i]);
    bool is_same = count == expected_count && memcmp(bytes, expected, count) == 0;
    expect(is_same, file, line, "bytes", "%zu: %s where %s was expected", count, hex[0], hex[1]);
}

int finish(void) {
    printf("%d of %d expectations met\n", expectations - failures, expectations);
    return failures > 0;
}

static _Noreturn void give_up(const char *what) {
    perror(what);
    exit(2);
}

static int connect_to_emulator(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("USB_EMULATOR_CONTROL");
    if (path == NULL) give_up("USB_EMULATOR_CONTROL is not set: a check runs in the emulator");
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) give_up(path);
    return descriptor;
}

static const char *send_line(const char *format, va_list arguments) {
    static int emulator = -1;
    static char answer[1 << 16];
    char line[2000];
    if (emulator < 0) emulator = connect_to_emulator();
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    line[length++] = '\n';
    if (send(emulator, line, (size_t)length, MSG_NOSIGNAL) != length) give_up("the emulator's control socket");
    size_t count = 0;
    while (count == 0 || answer[count - 1] != '\n') {
        ssize_t step = recv(emulator, answer + count, sizeof answer - 1 - count, 0);
        if (step <= 0) give_up("the emulator ended");
        count += (size_t)step;
    }
    answer[count - 1] = 0;
    return answer;
}

const char *control(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *answer = send_line(format, arguments);
    va_end(arguments);
    EXPECT(strncmp(answer, "ok", 2) == 0, "\"%s\" was answered \"%s\"", format, answer);
    return answer + 2;
}

const char *control_refused(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *answer = send_line(format, arguments);
    va_end(arguments);
    EXPECT(strncmp(answer, "error: ", 7) == 0, "\"%s\" was answered \"%s\"", format, answer);
    return answer;
}

uint64_t statistic(const char *address, const char *name) {
    char key[60];
    const char *answer = control("%s stats", address);
    snprintf(key, sizeof key, " %s=", name);
    const char *found = strstr(answer, key);
    EXPECT(found != NULL, "there is no %s in%s", name, answer);
    return found != NULL ? strtoull(found + strlen(key), NULL, 10) : 0;
}

libusb_context *start_libusb(void) {
    libusb_context *context;
    if (libusb_init(&context) != 0) give_up("libusb_init");
    return context;
}

libusb_device_handle *open_device(libusb_context *context, uint16_t vendor, uint16_t product) {
    libusb_device_handle *handle = libusb_open_device_with_vid_pid(context, vendor, product);
    if (handle != NULL) return handle;
    printf("there is no device %04x:%04x to open\n", vendor, product);
    exit(1);
}

libusb_device_handle *open_printer(libusb_context *context) {
    libusb_device_handle *handle = open_device(context, 0x04B8, 0x0E15);
    EXPECT_CODE(libusb_claim_interface(handle, 0), 0);
    return handle;
}

int count_devices(libusb_context *context) {
    libusb_device **devices;
    ssize_t count = libusb_get_device_list(context, &devices);
    libusb_free_device_list(devices, 1);
    return (int)count - 1;
}

bool wait_for_count(libusb_context *context, const int *count, int target) {
    time_t end = time(NULL) + 30;
    while (*count < target && time(NULL) < end) {
        struct timeval moment = {.tv_usec = 20000};
        libusb_handle_events_timeout(context, &moment);
    }
    return *count >= target;
}

void write_all(libusb_device_handle *handle, const void *bytes, size_t count) {
    int taken = 0;
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, (unsigned char *)bytes, (int)count, &taken, LONG), 0);
    EXPECT(taken == (int)count, "%d of %zu bytes were taken", taken, count);
}

size_t read_some(libusb_device_handle *handle, uint8_t *bytes, size_t limit) {
    int count = 0;
    EXPECT_CODE(libusb_bulk_transfer(handle, IN, bytes, (int)limit, &count, 1000), 0);
    return (size_t)count;
}

bool is_silent(libusb_device_handle *handle) {
    uint8_t bytes[64];
    int count = 0;
    return libusb_bulk_transfer(handle, IN, bytes, sizeof bytes, &count, SHORT) == LIBUSB_ERROR_TIMEOUT && count == 0;
}

const char *use_paper(const char *address) {
    static char path[200];
    snprintf(path, sizeof path, "%s/paper-%s", getenv("UMOCKDEV_DIR"), address);
    control("%s paper %s", address, path);
    return path;
}

uint8_t *read_paper(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) give_up(path);
    fseek(file, 0, SEEK_END);
    *count = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*count + 1);
    if (fread(bytes, 1, *count, file) != *count) give_up(path);
    fclose(file);
    return bytes;
}
