// The emulator's time, in microseconds: the machine's, or one that moves only when a test says so.
#pragma once

#include <stdbool.h>
#include <stdint.h>

int64_t clock_now(void);
bool clock_is_manual(void);
// From now on time stands still but for clock_advance().
void clock_make_manual(void);
// From now on time passes by itself again.
void clock_make_real(void);
void clock_advance(int64_t microseconds);
