#include "conditions.h"

#include <string.h>

static const char *const names[CONDITION_COUNT] = {
    [COVER_OPEN] = "cover-open",
    [PAPER_OUT] = "paper-out",
    [PAPER_LOW] = "paper-low",
    [DRAWER_HIGH] = "drawer-high",
    [CUTTER_ERROR] = "cutter-error",
    [MECHANICAL_ERROR] = "mechanical-error",
    [OVERHEATED] = "overheated",
    [UNRECOVERABLE_ERROR] = "unrecoverable-error",
    [FEED_BUTTON] = "feed-button",
    [OFFLINE] = "offline",
};

int condition_named(const char *name) {
    for (int condition = 0; condition < CONDITION_COUNT; condition++) {
        if (strcmp(names[condition], name) == 0) return condition;
    }
    return -1;
}

const char *condition_name(enum condition condition) { return names[condition]; }

bool conditions_have_error(const struct conditions *conditions) {
    const bool *on = conditions->on;
    return on[CUTTER_ERROR] || on[MECHANICAL_ERROR] || on[OVERHEATED] || on[UNRECOVERABLE_ERROR];
}

bool conditions_are_offline(const struct conditions *conditions) {
    const bool *on = conditions->on;
    return on[COVER_OPEN] || on[PAPER_OUT] || on[OFFLINE] || on[FEED_BUTTON] || conditions_have_error(conditions);
}
