// Star line mode as far as a host can see it. "STAR Line Mode Command Specifications": ESC ACK SOH, ESC RS a, ESC RS E,
// ETB, CAN and appendix 2, "ASB status", in the nine bytes that today's printers send.
#include "language.h"

enum { ETB = 0x17, CAN = 0x18, ESC = 0x1B, GS = 0x1D, RS = 0x1E, STATUS_LENGTH = 9 };

static uint8_t bit(bool on, uint8_t mask) { return on ? mask : 0; }

// Five bits, spread over a byte whose bits 0, 4 and 7 are fixed.
static uint8_t spread(uint8_t value) { return (uint8_t)((value & 0x07) << 1 | (value & 0x18) << 2); }

static void send_status(struct printer *printer) {
    const bool *on = printer->conditions.on;
    uint8_t status[STATUS_LENGTH] = {
        0x01 | spread(STATUS_LENGTH),
        spread(3), // version of this format
        bit(on[COVER_OPEN], 0x20) | bit(conditions_are_offline(&printer->conditions), 0x08) | bit(on[DRAWER_HIGH], 0x04)
            | bit(on[OFFLINE], 0x40) | bit(printer->etb_done, 0x02),
        bit(on[OVERHEATED], 0x40) | bit(on[UNRECOVERABLE_ERROR], 0x20) | bit(on[CUTTER_ERROR], 0x08)
            | bit(on[MECHANICAL_ERROR], 0x04),
        0,
        bit(on[PAPER_OUT], 0x08) | bit(on[PAPER_LOW], 0x04),
        0,
        spread(printer->etb_count),
        0,
    };
    printer_answer(printer, status, sizeof status);
    // Told once.
    printer->etb_done = false;
}

void star_receive(struct printer *printer, uint8_t byte) {
    if (byte == 0x01 && language_just_received(printer, (uint8_t[]){ESC, 0x06, 0x01}, 3)) send_status(printer);
}

static void reset_etb(struct printer *printer) {
    printer->etb_count = 0;
    printer->etb_done = false;
}

void star_execute(struct printer *printer, const uint8_t *command, size_t length) {
    if (command[0] == ETB) {
        language_promise(printer, NULL);
    } else if (command[0] == CAN) {
        reset_etb(printer);
    } else if (command[0] == ESC && length > 1) {
        if (command[1] == '@') printer->initialisations++;
        if (command[1] == 'd') printer->cuts++;
        if (command[1] == '*' && length > 3 && command[3] == 'A') printer->in_raster_mode = true;
        if (command[1] == '*' && length > 3 && command[3] == 'B') printer->in_raster_mode = false;
        if (command[1] != RS || length < 4) return;
        if (command[2] == 'E') reset_etb(printer);
        if (command[2] != 'a') return;
        // Only bit 0 says whether it is on; the others choose what is watched by serial printers.
        printer->automatic_status = command[3] & 1;
        if (printer->automatic_status) send_status(printer);
    } else if (command[0] == 0x07 || command[0] == 0x1C) {
        printer->drawer_kicks++;
    }
}

void star_complete(struct printer *printer) {
    printer->etb_count = (printer->etb_count + 1) & 0x1F;
    printer->etb_done = true;
    if (printer->automatic_status) send_status(printer);
}

void star_report_change(struct printer *printer) {
    if (printer->automatic_status) send_status(printer);
}

static uint64_t escape_length(const uint8_t *head, size_t length) {
    switch (head[1]) {
    case '@':
    case '2':
    case '4':
    case '5':
    case 'E':
    case 'F':
    case 'P':
    case 'M': return 2;
    case RS: return 4;
    case 0x06: return 3;
    case 'K':
    case 'L': return length < 4 ? 0 : 4 + (uint64_t)(head[2] | head[3] << 8);
    case 'k': return length < 4 ? 0 : 4 + (uint64_t)head[2] * 24;
    case 'X': return length < 4 ? 0 : 4 + (uint64_t)(head[2] | head[3] << 8) * 3;
    case 'D': return UNTIL_NULL;
    case '*': return UNTIL_NULL; // raster settings, ESC * r … NUL
    case GS:
        if (length < 3) return 0;
        // Raster graphics: ESC GS S m xL xH yL yH n, with x bytes in each of y lines.
        if (head[2] == 'S') {
            return length < 9 ? 0 : 9 + (uint64_t)(head[4] | head[5] << 8) * (uint64_t)(head[6] | head[7] << 8);
        }
        return head[2] == 'A' || head[2] == 'R' ? 5 : 4;
    default: return 3;
    }
}

uint64_t star_command_length(const uint8_t *head, size_t length, bool in_raster_mode) {
    // In raster mode a line is "b" or "k", its length, and dots.
    if (in_raster_mode && (head[0] == 'b' || head[0] == 'k')) {
        return length < 3 ? 0 : 3 + (uint64_t)(head[1] | head[2] << 8);
    }
    if (head[0] != ESC) return 1;
    if (length < 2) return 0;
    if (head[1] == '*' && length < 4) return 0;
    // Entering, leaving and clearing raster mode has no setting after it.
    if (head[1] == '*' && (head[3] == 'A' || head[3] == 'B' || head[3] == 'C' || head[3] == 'R')) return 4;
    return escape_length(head, length);
}
