// Large and small writes arrive on paper byte for byte, at once and at a printer's speed.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

enum { DOCUMENT = 10 << 20 };

static void expect_paper(const char *path, const uint8_t *expected, size_t expected_count) {
    size_t count;
    uint8_t *paper = read_paper(path, &count);
    EXPECT(count == expected_count, "%zu bytes on paper", count);
    EXPECT(count == expected_count && memcmp(paper, expected, count) == 0, "the paper's content");
    free(paper);
}

int main(void) {
    const char *paper = use_paper("0");
    libusb_context *context = start_libusb();
    libusb_device_handle *handle = open_printer(context);
    uint8_t *document = malloc(DOCUMENT);
    uint32_t state = 1;
    for (int i = 0; i < DOCUMENT; i++) document[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
    // Random data holds commands; a printer that understands none answers none.
    control("0 language none");
    write_all(handle, document, DOCUMENT);
    expect_paper(paper, document, DOCUMENT);
    EXPECT(statistic("0", "taken") == DOCUMENT, "taken");
    EXPECT(strstr(control("0 transfers"), " out,10485760/10485760,0") != NULL, "what each transfer came to");
    paper = use_paper("0");
    for (int i = 0; i < 1025; i++) write_all(handle, document + i, 1);
    expect_paper(paper, document, 1025);
    int taken = 0;
    EXPECT_CODE(libusb_bulk_transfer(handle, OUT, document, 0, &taken, LONG), 0);
    EXPECT(statistic("0", "zero-packets") == 1, "a transfer without a byte");
    // A printer at work: its buffer fills, the transfer waits, and all arrives.
    paper = use_paper("0");
    control("0 speed 200000");
    write_all(handle, document, 50000);
    uint64_t waiting = statistic("0", "waiting");
    EXPECT(waiting <= 4096, "%d bytes in the buffer", (int)waiting);
    for (int i = 0; i < 3000 && statistic("0", "waiting") > 0; i++) usleep(10000);
    expect_paper(paper, document, 50000);
    free(document);
    libusb_close(handle);
    libusb_exit(context);
    return finish();
}
