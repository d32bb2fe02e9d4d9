// ESC/POS as far as a host can see it: status, completion, cutting, the drawer. Epson's "ESC/POS Command Reference".
#include <string.h>

#include "language.h"

enum { EOT = 0x04, ENQ = 0x05, DLE = 0x10, ESC = 0x1B, GS = 0x1D };

// DLE DC4, function 8: clears the buffers; a fixed sequence, so that print data rarely looks like it.
static const uint8_t clear_buffers[] = {DLE, 0x14, 0x08, 0x01, 0x03, 0x14, 0x01, 0x06, 0x02, 0x08};

// DLE ENQ: somebody removed the cause of a recoverable error, and the host says go on (1), or clear and go on (2).
static void recover(struct printer *printer, uint8_t n) {
    struct conditions before = printer->conditions;
    printer->conditions.on[CUTTER_ERROR] = printer->conditions.on[MECHANICAL_ERROR] = false;
    if (n == 2) printer_clear_buffers(printer);
    escpos_report_change(printer, &before);
}

// Recognised wherever they stand: inside raster data as well, as real printers do.
void escpos_receive(struct printer *printer, uint8_t n) {
    if (n >= 1 && n <= 4 && language_just_received(printer, (uint8_t[]){DLE, EOT, n}, 3)) {
        uint8_t status = escpos_real_time_status(&printer->conditions, n);
        printer_answer(printer, &status, 1);
    } else if ((n == 1 || n == 2) && language_just_received(printer, (uint8_t[]){DLE, ENQ, n}, 3)) {
        recover(printer, n);
    } else if (n == 8 && language_just_received(printer, clear_buffers, sizeof clear_buffers)) {
        printer_clear_buffers(printer);
        printer_answer(printer, (uint8_t[]){0x37, 0x25, 0x00}, 3);
    }
}

static void execute_group(struct printer *printer, const uint8_t *command, size_t length) {
    static const uint8_t process_id[] = {GS, '(', 'H', 6, 0, 48, 48};
    uint8_t n = length > 2 ? command[2] : 0;
    switch (command[1]) {
    case 'a':
        printer->automatic_status = n;
        if (n != 0) {
            uint8_t status[4];
            escpos_automatic_status(&printer->conditions, status);
            printer_answer(printer, status, sizeof status);
        }
        break;
    case 'r': {
        bool is_known = n == 1 || n == 2 || n == '1' || n == '2';
        uint8_t status = escpos_status(&printer->conditions, n & 0x0F);
        if (is_known) printer_answer(printer, &status, 1);
        break;
    }
    case 'V': printer->cuts++; break;
    case '(':
        if (length == 11 && memcmp(command, process_id, sizeof process_id) == 0 && printer->answers_process_ids) {
            language_promise(printer, command + sizeof process_id);
        }
        break;
    }
}

void escpos_execute(struct printer *printer, const uint8_t *command, size_t length) {
    if (length < 2) return;
    if (command[0] == GS) {
        execute_group(printer, command, length);
    } else if (command[0] == ESC) {
        switch (command[1]) {
        case '@':
            printer->initialisations++;
            printer->automatic_status = 0;
            break;
        case 'i':
        case 'm': printer->cuts++; break;
        case 'p': printer->drawer_kicks++; break;
        }
    }
}

void escpos_complete(struct printer *printer, const struct completion *completion) {
    printer->has_process_id = true;
    memcpy(printer->process_id, completion->process_id, sizeof printer->process_id);
}

// The bits of the four status bytes that each bit of GS a's n stands for: drawer, on-line, error, paper.
static const uint8_t watched[4][4] = {
    {0x04, 0x00, 0x00, 0x00},
    {0x68, 0x03, 0x00, 0x00},
    {0x00, 0x6C, 0x00, 0x00},
    {0x00, 0x00, 0x0F, 0x00},
};

void escpos_report_change(struct printer *printer, const struct conditions *before) {
    uint8_t then[4], now[4];
    escpos_automatic_status(before, then);
    escpos_automatic_status(&printer->conditions, now);
    for (int bit = 0; bit < 4; bit++) {
        if ((printer->automatic_status & 1 << bit) == 0) continue;
        for (int i = 0; i < 4; i++) {
            if (((then[i] ^ now[i]) & watched[bit][i]) == 0) continue;
            printer_answer(printer, now, sizeof now);
            return;
        }
    }
}
