// Values as tests write them. Each returns false when the text is none.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

bool value_number(const char *text, uint64_t maximum, uint64_t *number);
bool value_hex(const char *text, uint64_t maximum, uint64_t *number);
bool value_switch(const char *text, bool *on); // "on", "off"
// A byte offset from now on, added to `base`; "off" is -1.
bool value_offset(const char *text, uint64_t base, int64_t *offset);
bool value_hex_bytes(const char *text, GByteArray **bytes);
// Text in which \xHH stands for a byte and \\ for a backslash.
bool value_escaped(const char *text, GByteArray **bytes);
// The index of a word in a list that ends with NULL.
bool value_choice(const char *text, const char *const *choices, unsigned *index);
