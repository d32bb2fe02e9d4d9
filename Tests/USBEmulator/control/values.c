#include "values.h"

#include <string.h>

bool value_number(const char *text, uint64_t maximum, uint64_t *number) {
    return g_ascii_string_to_unsigned(text, 10, 0, maximum, number, NULL);
}

bool value_hex(const char *text, uint64_t maximum, uint64_t *number) {
    return g_ascii_string_to_unsigned(text, 16, 0, maximum, number, NULL);
}

bool value_switch(const char *text, bool *on) {
    *on = g_str_equal(text, "on");
    return *on || g_str_equal(text, "off");
}

bool value_offset(const char *text, uint64_t base, int64_t *offset) {
    uint64_t number;
    *offset = -1;
    if (g_str_equal(text, "off")) return true;
    if (!value_number(text, INT64_MAX / 2, &number)) return false;
    *offset = (int64_t)(base + number);
    return true;
}

static bool add_hex_byte(const char *digits, GByteArray *bytes) {
    if (!g_ascii_isxdigit(digits[0]) || !g_ascii_isxdigit(digits[1])) return false;
    uint8_t byte = (uint8_t)(g_ascii_xdigit_value(digits[0]) << 4 | g_ascii_xdigit_value(digits[1]));
    g_byte_array_append(bytes, &byte, 1);
    return true;
}

bool value_hex_bytes(const char *text, GByteArray **bytes) {
    g_autoptr(GByteArray) read = g_byte_array_new();
    for (; *text != 0; text += 2) {
        if (!add_hex_byte(text, read)) return false;
    }
    *bytes = g_steal_pointer(&read);
    return true;
}

bool value_escaped(const char *text, GByteArray **bytes) {
    g_autoptr(GByteArray) read = g_byte_array_new();
    while (*text != 0) {
        if (text[0] == '\\' && text[1] == 'x') {
            if (!add_hex_byte(text + 2, read)) return false;
            text += 4;
            continue;
        }
        if (text[0] == '\\' && text[1] == '\\') text++;
        g_byte_array_append(read, (const guint8 *)text++, 1);
    }
    *bytes = g_steal_pointer(&read);
    return true;
}

bool value_choice(const char *text, const char *const *choices, unsigned *index) {
    for (*index = 0; choices[*index] != NULL; ++*index) {
        if (g_str_equal(choices[*index], text)) return true;
    }
    return false;
}
