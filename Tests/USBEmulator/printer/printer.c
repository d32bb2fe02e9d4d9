#include "printer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "language.h"

struct printer *printer_new(void) {
    struct printer *printer = g_new0(struct printer, 1);
    printer->language = LANGUAGE_ESCPOS;
    printer->buffer = g_byte_array_new();
    printer->capacity = 4096; // the usual receive buffer of a receipt printer
    printer->paper = -1;
    printer->pauses = g_array_new(FALSE, FALSE, sizeof(struct pause));
    printer->completions = g_array_new(FALSE, FALSE, sizeof(struct completion));
    printer->answers = g_byte_array_new();
    printer->answers_process_ids = true;
    printer->forced_port_status = -1;
    return printer;
}

bool printer_use_paper(struct printer *printer, const char *path) {
    int paper = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (paper < 0) return false;
    if (printer->paper >= 0) close(printer->paper);
    printer->paper = paper;
    return true;
}

size_t printer_room(const struct printer *printer) {
    uint64_t waiting = printer->taken - printer->processed;
    return waiting < printer->capacity ? printer->capacity - waiting : 0;
}

static void note_pause(struct printer *printer, int64_t now) {
    struct pause pause = {printer->taken, now - printer->emptied_at};
    if (printer->emptied_at != 0 && printer->pauses->len < PAUSES_MAX) g_array_append_val(printer->pauses, pause);
    printer->emptied_at = 0;
}

void printer_take(struct printer *printer, const uint8_t *bytes, size_t count, int64_t now) {
    printer_advance(printer, now);
    note_pause(printer, now);
    g_byte_array_append(printer->buffer, bytes, count);
    printer->taken += count;
    for (size_t i = 0; i < count; i++) language_receive(printer, bytes[i]);
    printer_advance(printer, now);
}

// Interprets what lies within `window` bytes of the paper.
static void process(struct printer *printer, uint64_t window) {
    while (printer->processed < printer->taken && printer->processed - printer->printed < window) {
        uint8_t byte = printer->buffer->data[printer->processed - printer->printed];
        printer->processed++;
        language_process(printer, byte);
    }
}

static void put_on_paper(struct printer *printer, size_t count) {
    for (size_t written = 0; printer->paper >= 0 && written < count;) {
        ssize_t step = write(printer->paper, printer->buffer->data + written, count - written);
        if (step < 0 && errno != EINTR) g_error("the paper cannot be written: %s", g_strerror(errno));
        if (step > 0) written += (size_t)step;
    }
    g_byte_array_remove_range(printer->buffer, 0, count);
    printer->printed += count;
    while (printer->completions->len > 0) {
        struct completion completion = g_array_index(printer->completions, struct completion, 0);
        if (completion.position > printer->printed) return;
        g_array_remove_index(printer->completions, 0);
        language_complete(printer, &completion);
    }
}

// How many bytes the paper may move on by, at the printer's speed; keeps the fraction of a byte for the next time.
static uint64_t allowance(struct printer *printer, int64_t now) {
    if (printer->speed == 0) return UINT64_MAX;
    uint64_t elapsed = (uint64_t)(now - printer->moved_at);
    uint64_t bytes = elapsed * printer->speed / G_USEC_PER_SEC;
    printer->moved_at += (int64_t)(bytes * G_USEC_PER_SEC / printer->speed);
    return bytes;
}

void printer_advance(struct printer *printer, int64_t now) {
    // Time passes unused while there is nothing to print or the printer has stopped.
    if (printer->printed == printer->taken || conditions_are_offline(&printer->conditions)) {
        printer->moved_at = now;
        if (conditions_are_offline(&printer->conditions)) printer->emptied_at = 0;
        return;
    }
    int64_t began = printer->moved_at;
    uint64_t waiting = printer->taken - printer->printed, left = allowance(printer, now);
    process(printer, MAX(left, printer->lead));
    put_on_paper(printer, (size_t)MIN(printer->processed - printer->printed, left));
    if (printer->speed != 0 && printer->printed == printer->taken)
        printer->emptied_at = began + (int64_t)(waiting * G_USEC_PER_SEC / printer->speed);
    // The paper made room for the interpreter.
    process(printer, printer->lead);
}

bool printer_is_moving(const struct printer *printer) {
    return printer->speed != 0 && printer->printed < printer->taken && !conditions_are_offline(&printer->conditions);
}

void printer_set_condition(struct printer *printer, enum condition condition, bool on, int64_t now) {
    printer_advance(printer, now);
    struct conditions before = printer->conditions;
    printer->conditions.on[condition] = on;
    language_report_change(printer, &before);
    printer_advance(printer, now);
}

// IEEE 1284 port status as in the USB printer class definition, section 4.2.2.
uint8_t printer_port_status(const struct printer *printer) {
    if (printer->forced_port_status >= 0) return (uint8_t)printer->forced_port_status;
    const struct conditions *conditions = &printer->conditions;
    return (conditions->on[PAPER_OUT] ? 0x20 : 0) | (conditions_are_offline(conditions) ? 0 : 0x10)
         | (conditions_have_error(conditions) || conditions->on[COVER_OPEN] ? 0 : 0x08);
}

void printer_clear_buffers(struct printer *printer) {
    printer->lost += printer->buffer->len;
    printer->emptied_at = 0;
    g_byte_array_set_size(printer->buffer, 0);
    printer->processed = printer->taken = printer->printed;
    g_array_set_size(printer->completions, 0);
    memset(&printer->parser, 0, sizeof printer->parser);
    printer->in_raster_mode = false;
    memset(printer->recent, 0, sizeof printer->recent);
}

void printer_power_off(struct printer *printer) {
    printer_clear_buffers(printer);
    printer_clear_answers(printer);
    printer->automatic_status = 0;
    printer->etb_count = 0;
    printer->etb_done = false;
}
