// What goes wrong with transfers.
#include "settings.h"
#include "values.h"

static bool set_credit(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_offset(value, 0, &interface->faults.credit);
}

static bool set_stall_out(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_offset(value, interface->taken, &interface->faults.stall_out_at);
}

static bool set_stall_in(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_offset(value, interface->given, &interface->faults.stall_in_at);
}

static bool set_unplug_at(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_offset(value, interface->taken, &interface->faults.unplug_at);
}

static bool set_memory(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_offset(value, 0, &interface->faults.memory);
}

static bool set_count(const char *value, unsigned *count) {
    uint64_t number;
    if (!value_number(value, 1 << 20, &number)) return false;
    *count = (unsigned)number;
    return true;
}

static bool set_delay(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_count(value, &interface->faults.delay);
}

static bool set_in_limit(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_count(value, &interface->faults.in_limit);
}

// A request's two first bytes in hex ("a100"), or one of the printer class's by its name.
static bool set_request(const char *value, unsigned *request) {
    static const char *const names[] = {"off", "device-id", "port-status", "soft-reset", "old-soft-reset", NULL};
    static const unsigned requests[] = {0, 0xA100, 0xA101, 0x2102, 0x2302};
    unsigned index;
    uint64_t number;
    if (value_choice(value, names, &index)) {
        *request = requests[index];
    } else if (value_hex(value, UINT16_MAX, &number)) {
        *request = (unsigned)number;
    } else {
        return false;
    }
    return true;
}

static bool set_empty_answers(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_switch(value, &interface->faults.answers_empty);
}

static bool set_stall_control(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_request(value, &interface->device->stalled_request);
}

static bool set_ignore_control(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_request(value, &interface->device->ignored_request);
}

const struct setting fault_settings[] = {
    {"credit", set_credit},
    {"stall-out", set_stall_out},
    {"stall-in", set_stall_in},
    {"unplug-at", set_unplug_at},
    {"memory", set_memory},
    {"delay", set_delay},
    {"in-limit", set_in_limit},
    {"empty-answers", set_empty_answers},
    {"stall-control", set_stall_control},
    {"ignore-control", set_ignore_control},
    {NULL, NULL},
};
