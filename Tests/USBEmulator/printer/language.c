#include "language.h"

#include <string.h>

bool language_just_received(const struct printer *printer, const uint8_t *bytes, size_t count) {
    for (size_t i = 1; i <= count; i++) {
        if (printer->recent[(printer->received - i) % RECENT_MAX] != bytes[count - i]) return false;
    }
    return true;
}

void language_receive(struct printer *printer, uint8_t byte) {
    printer->recent[printer->received++ % RECENT_MAX] = byte;
    switch (printer->language) {
    case LANGUAGE_ESCPOS: escpos_receive(printer, byte); break;
    case LANGUAGE_STAR: star_receive(printer, byte); break;
    case LANGUAGE_NONE: break;
    }
}

static uint64_t command_length(const struct printer *printer) {
    const struct parser *parser = &printer->parser;
    return printer->language == LANGUAGE_STAR ? star_command_length(parser->head, parser->length, printer->in_raster_mode)
                                              : escpos_command_length(parser->head, parser->length);
}

// Data is passed over, so that a raster image is never mistaken for commands; the head of a command is kept until its
// length is known, and short commands until they are complete.
void language_process(struct printer *printer, uint8_t byte) {
    struct parser *parser = &printer->parser;
    if (printer->language == LANGUAGE_NONE) return;
    if (parser->skip > 0) {
        parser->skip--;
        return;
    }
    if (parser->skip_to_null) {
        parser->skip_to_null = byte != 0;
        return;
    }
    parser->head[parser->length++] = byte;
    uint64_t length = command_length(printer);
    bool is_too_long = parser->length == COMMAND_HEAD_MAX;
    if ((length == 0 || (length > parser->length && length <= COMMAND_HEAD_MAX)) && !is_too_long) return;
    if (length == UNTIL_NULL) {
        parser->skip_to_null = true;
    } else if (length > parser->length) {
        parser->skip = length - parser->length;
    } else if (printer->language == LANGUAGE_STAR) {
        star_execute(printer, parser->head, parser->length);
    } else {
        escpos_execute(printer, parser->head, parser->length);
    }
    parser->length = 0;
}

void language_promise(struct printer *printer, const uint8_t *process_id) {
    struct completion completion = {.position = printer->processed};
    if (process_id != NULL) memcpy(completion.process_id, process_id, sizeof completion.process_id);
    g_array_append_val(printer->completions, completion);
}

void language_complete(struct printer *printer, const struct completion *completion) {
    if (printer->language == LANGUAGE_STAR) {
        star_complete(printer);
    } else {
        escpos_complete(printer, completion);
    }
}

void language_report_change(struct printer *printer, const struct conditions *before) {
    switch (printer->language) {
    case LANGUAGE_ESCPOS: escpos_report_change(printer, before); break;
    case LANGUAGE_STAR: star_report_change(printer); break;
    case LANGUAGE_NONE: break;
    }
}
