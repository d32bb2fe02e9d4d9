// A printer behind a pair of bulk endpoints: a receive buffer, an interpreter, paper, and a back-channel.
//
// Three offsets into all bytes ever received say how far it is: printed <= processed <= taken. The interpreter may be
// ahead of the paper by `lead` bytes, as in a real printer with a print buffer; this is what tells a "processed" answer
// (GS r) from a "printed" one (GS ( H, ETB).
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conditions.h"

enum language { LANGUAGE_NONE, LANGUAGE_ESCPOS, LANGUAGE_STAR };

enum { COMMAND_HEAD_MAX = 24, RECENT_MAX = 16, ANSWERS_MAX = 1 << 16, PAUSES_MAX = 64 };

// The interpreter's place amid a command that is not complete yet.
struct parser {
    uint8_t head[COMMAND_HEAD_MAX];
    size_t length;
    uint64_t skip;     // bytes of data still to pass over
    bool skip_to_null; // data that ends with NUL
};

// Something to tell the host once all before `position` is on paper.
struct completion {
    uint64_t position;
    uint8_t process_id[4]; // ESC/POS alone
};

// The paper waited for this byte, and for so long: had it come sooner, the printer would have gone on.
struct pause {
    uint64_t position;
    int64_t microseconds;
};

struct printer {
    enum language language;
    struct conditions conditions;

    uint64_t taken, processed, printed;
    uint64_t lost;      // taken and thrown away unprinted; `taken` is then set back to what is on paper
    GByteArray *buffer; // what was taken and is not on paper yet
    size_t capacity;    // of the receive buffer: bytes taken and not processed
    size_t lead;
    uint64_t speed;     // bytes per second; 0 prints at once
    int64_t moved_at;   // when the paper last moved, in microseconds of the emulator's clock
    int64_t emptied_at; // when it stopped since there was nothing left to print; 0 while there is, and before the first byte
    GArray *pauses;     // struct pause, the first PAUSES_MAX
    int paper;          // descriptor of the file that holds what was printed

    struct parser parser;
    // The last bytes received, going round: real-time commands are recognised on their way in.
    uint8_t recent[RECENT_MAX];
    size_t received;
    GArray *completions;        // struct completion, by position

    GByteArray *answers; // for the host to read, oldest first
    bool has_process_id; // a process id response that was not read yet; a later one takes its place
    uint8_t process_id[4];
    uint8_t automatic_status; // ESC/POS: the n of GS a; Star: not 0 when enabled
    bool answers_process_ids; // old printers ignore GS ( H
    uint8_t etb_count;        // Star: 5 bits
    bool etb_done;
    bool in_raster_mode;
    int forced_port_status; // -1: as the conditions say

    unsigned cuts, drawer_kicks, initialisations;
};

struct printer *printer_new(void);
// Prints to this file from now on; emptied first. False (with errno) when it cannot be written.
bool printer_use_paper(struct printer *printer, const char *path);

// How many bytes the receive buffer has room for.
size_t printer_room(const struct printer *printer);
void printer_take(struct printer *printer, const uint8_t *bytes, size_t count, int64_t now);
// Prints what time allows.
void printer_advance(struct printer *printer, int64_t now);
// Whether it prints something that needs time.
bool printer_is_moving(const struct printer *printer);

bool printer_has_answer(const struct printer *printer);
size_t printer_read_answer(struct printer *printer, uint8_t *bytes, size_t limit);
void printer_answer(struct printer *printer, const uint8_t *bytes, size_t count);
// Forgets what the host has not read.
void printer_clear_answers(struct printer *printer);

void printer_set_condition(struct printer *printer, enum condition condition, bool on, int64_t now);
uint8_t printer_port_status(const struct printer *printer);

// Forgets what is in its buffers, as SOFT_RESET, DLE DC4 and a power cut do. What is on paper stays.
void printer_clear_buffers(struct printer *printer);
// Clears its buffers and all that was switched on by commands.
void printer_power_off(struct printer *printer);
