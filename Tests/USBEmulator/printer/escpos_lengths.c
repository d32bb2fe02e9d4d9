// How long ESC/POS commands are, so that their data is not taken for commands.
#include <string.h>

#include "language.h"

static bool is_one_of(uint8_t byte, const char *set) { return byte != 0 && strchr(set, byte) != NULL; }

static uint64_t little_endian(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | bytes[count];
    return value;
}

// A command whose data begins after `count` bytes at `at` that say how long it is.
static uint64_t counted(const uint8_t *head, size_t length, size_t at, int count) {
    return length < at + (size_t)count ? 0 : at + (size_t)count + little_endian(head + at, count);
}

static uint64_t escape_length(const uint8_t *head, size_t length) {
    uint8_t command = head[1];
    if (is_one_of(command, "@2<LSimv") || command == 0x0C) return 2;
    if (is_one_of(command, "$\\c")) return 4;
    if (command == 'p') return 5;
    if (command == 'W') return 10;
    if (command == 'D') return UNTIL_NULL;
    if (command == '(') return counted(head, length, 3, 2);
    if (command != '*') return 3;
    // Columns of one byte, or of three in the 24-dot modes.
    return length < 5 ? 0 : 5 + little_endian(head + 3, 2) * (head[2] >= 32 ? 3 : 1);
}

static uint64_t group_length(const uint8_t *head, size_t length) {
    uint8_t command = head[1];
    if (command == ':') return 2;
    if (is_one_of(command, "$\\LWP")) return 4;
    if (is_one_of(command, "^z")) return 5;
    if (command == '(') return counted(head, length, 3, 2);
    if (command == '8') return counted(head, length, 3, 4);
    if (command == '*') return length < 4 ? 0 : 4 + (uint64_t)head[2] * head[3] * 8;
    if (length < 3) return 0;
    if (command == 'v' || command == 'Q') {
        return length < 8 ? 0 : 8 + little_endian(head + 4, 2) * little_endian(head + 6, 2);
    }
    if (command == 'V') return is_one_of(head[2], "ABabgh") ? 4 : 3;
    if (command == 'k') return head[2] <= 6 ? UNTIL_NULL : counted(head, length, 3, 1);
    return 3;
}

static uint64_t kanji_length(const uint8_t *head, size_t length) {
    uint8_t command = head[1];
    if (is_one_of(command, "&.")) return 2;
    if (is_one_of(command, "Sp?")) return 4;
    if (command == '2') return 4 + 72;
    return command == '(' ? counted(head, length, 3, 2) : 3;
}

static uint64_t real_time_length(const uint8_t *head, size_t length) {
    if (head[1] != 0x14) return 3;
    if (length < 3) return 0;
    return head[2] == 8 ? 10 : head[2] == 7 ? 4 : 5;
}

uint64_t escpos_command_length(const uint8_t *head, size_t length) {
    if (!is_one_of(head[0], "\x10\x1B\x1C\x1D")) return 1;
    if (length < 2) return 0;
    switch (head[0]) {
    case 0x10: return real_time_length(head, length);
    case 0x1B: return escape_length(head, length);
    case 0x1C: return kanji_length(head, length);
    default: return group_length(head, length);
    }
}
