#include "clock.h"

#include <glib.h>

static bool is_manual;
static int64_t manual_time;
static int64_t ahead; // of the machine's clock, once time was passed by hand

int64_t clock_now(void) { return is_manual ? manual_time : g_get_monotonic_time() + ahead; }

bool clock_is_manual(void) { return is_manual; }

void clock_make_manual(void) {
    manual_time = clock_now();
    is_manual = true;
}

void clock_make_real(void) {
    if (!is_manual) return;
    ahead = manual_time - g_get_monotonic_time();
    is_manual = false;
}

void clock_advance(int64_t microseconds) { manual_time += microseconds; }
