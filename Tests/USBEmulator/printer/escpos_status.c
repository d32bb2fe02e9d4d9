// The status bytes of ESC/POS. Fixed bits tell them apart: 0xx1xx10 answers DLE EOT, 0xx1xx00 opens automatic status,
// 0xx0xxxx is any other. (Epson's "ESC/POS Command Reference": DLE EOT, GS a, GS r.)
#include "language.h"

static uint8_t bit(bool on, uint8_t mask) { return on ? mask : 0; }

uint8_t escpos_real_time_status(const struct conditions *conditions, uint8_t n) {
    const bool *on = conditions->on;
    const uint8_t fixed = 0x12;
    switch (n) {
    case 1:
        return fixed | bit(on[DRAWER_HIGH], 0x04) | bit(conditions_are_offline(conditions), 0x08) | bit(on[FEED_BUTTON], 0x40);
    case 2:
        return fixed | bit(on[COVER_OPEN], 0x04) | bit(on[FEED_BUTTON], 0x08) | bit(on[PAPER_OUT], 0x20)
             | bit(conditions_have_error(conditions), 0x40);
    case 3:
        return fixed | bit(on[MECHANICAL_ERROR], 0x04) | bit(on[CUTTER_ERROR], 0x08) | bit(on[UNRECOVERABLE_ERROR], 0x20)
             | bit(on[OVERHEATED], 0x40);
    default: return fixed | bit(on[PAPER_LOW], 0x0C) | bit(on[PAPER_OUT], 0x60);
    }
}

void escpos_automatic_status(const struct conditions *conditions, uint8_t status[4]) {
    const bool *on = conditions->on;
    status[0] = 0x10 | bit(on[DRAWER_HIGH], 0x04) | bit(conditions_are_offline(conditions), 0x08) | bit(on[COVER_OPEN], 0x20)
              | bit(on[FEED_BUTTON], 0x40);
    status[1] = bit(on[FEED_BUTTON], 0x02) | bit(on[MECHANICAL_ERROR], 0x04) | bit(on[CUTTER_ERROR], 0x08)
              | bit(on[UNRECOVERABLE_ERROR], 0x20) | bit(on[OVERHEATED], 0x40);
    status[2] = bit(on[PAPER_LOW], 0x03) | bit(on[PAPER_OUT], 0x0C);
    status[3] = 0;
}

uint8_t escpos_status(const struct conditions *conditions, uint8_t n) {
    const bool *on = conditions->on;
    return n == 2 ? bit(on[DRAWER_HIGH], 0x01) : bit(on[PAPER_LOW], 0x03) | bit(on[PAPER_OUT], 0x0C);
}
