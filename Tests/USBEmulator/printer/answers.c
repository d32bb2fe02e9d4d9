// The back-channel: what the printer has to say, until the host reads it.
#include <string.h>

#include "printer.h"

bool printer_has_answer(const struct printer *printer) { return printer->answers->len > 0 || printer->has_process_id; }

void printer_answer(struct printer *printer, const uint8_t *bytes, size_t count) {
    // A host that never reads loses the newest answers, as it does with a real printer's small buffer.
    if (printer->answers->len + count <= ANSWERS_MAX) g_byte_array_append(printer->answers, bytes, count);
}

size_t printer_read_answer(struct printer *printer, uint8_t *bytes, size_t limit) {
    // Formed only now: of several process ids that wait for the host, a printer sends the latest.
    if (printer->has_process_id) {
        const uint8_t *id = printer->process_id;
        printer_answer(printer, (uint8_t[]){0x37, 0x22, id[0], id[1], id[2], id[3], 0x00}, 7);
        printer->has_process_id = false;
    }
    size_t count = MIN(limit, printer->answers->len);
    if (count == 0) return 0;
    memcpy(bytes, printer->answers->data, count);
    g_byte_array_remove_range(printer->answers, 0, count);
    return count;
}

void printer_clear_answers(struct printer *printer) {
    g_byte_array_set_size(printer->answers, 0);
    printer->has_process_id = false;
}
