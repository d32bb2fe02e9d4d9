// What a printer does with the bytes it gets, by its command language.
#pragma once

#include "printer.h"

// A byte came in: real-time commands act now, whatever waits in the buffer.
void language_receive(struct printer *printer, uint8_t byte);
// The interpreter reached this byte.
void language_process(struct printer *printer, uint8_t byte);
// All before the completion's position is on paper.
void language_complete(struct printer *printer, const struct completion *completion);
// A condition changed.
void language_report_change(struct printer *printer, const struct conditions *before);

// Remembers to tell the host once all that was processed so far is on paper.
void language_promise(struct printer *printer, const uint8_t *process_id);
// Whether the last bytes received are these.
bool language_just_received(const struct printer *printer, const uint8_t *bytes, size_t count);

void escpos_receive(struct printer *printer, uint8_t n);
void escpos_execute(struct printer *printer, const uint8_t *command, size_t length);
void escpos_complete(struct printer *printer, const struct completion *completion);
void escpos_report_change(struct printer *printer, const struct conditions *before);
// The status bytes that Epson's manuals give for DLE EOT (n = 1 to 4), GS a (four bytes) and GS r (n = 1, 2).
uint8_t escpos_real_time_status(const struct conditions *conditions, uint8_t n);
void escpos_automatic_status(const struct conditions *conditions, uint8_t status[4]);
uint8_t escpos_status(const struct conditions *conditions, uint8_t n);

void star_receive(struct printer *printer, uint8_t byte);
void star_execute(struct printer *printer, const uint8_t *command, size_t length);
void star_complete(struct printer *printer);
void star_report_change(struct printer *printer);

// How long the command that begins with these bytes is, with its data; 0 while that cannot be told yet.
// UNTIL_NULL: it ends with the next NUL.
#define UNTIL_NULL UINT64_MAX
uint64_t escpos_command_length(const uint8_t *head, size_t length);
uint64_t star_command_length(const uint8_t *head, size_t length, bool in_raster_mode);
