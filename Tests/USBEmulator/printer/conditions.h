// What can be the matter with a printer. Tests switch these on and off; all status answers follow from them.
#pragma once

#include <stdbool.h>

enum condition {
    COVER_OPEN,
    PAPER_OUT,
    PAPER_LOW,
    DRAWER_HIGH, // pin 3 of the drawer's connector; whether high means open depends on the drawer
    CUTTER_ERROR,
    MECHANICAL_ERROR,
    OVERHEATED,
    UNRECOVERABLE_ERROR,
    FEED_BUTTON,
    OFFLINE, // switched off-line by a button
    CONDITION_COUNT
};

struct conditions {
    bool on[CONDITION_COUNT];
};

// The condition of a name such as "cover-open", or -1.
int condition_named(const char *name);
const char *condition_name(enum condition condition);

bool conditions_have_error(const struct conditions *conditions);
// An online printer prints; any other keeps what it was sent.
bool conditions_are_offline(const struct conditions *conditions);
