// The printer behind an interface.
#include <errno.h>

#include "../bus/clock.h"
#include "../printer/printer.h"
#include "settings.h"
#include "values.h"

static bool set_language(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    static const char *const languages[] = {
        [LANGUAGE_NONE] = "none",
        [LANGUAGE_ESCPOS] = "escpos",
        [LANGUAGE_STAR] = "star",
        NULL,
    };
    unsigned language;
    if (!value_choice(value, languages, &language)) return false;
    interface->printer->language = language;
    return true;
}

static bool set_paper(struct interface *interface, const char *value, GString *problem) {
    if (printer_use_paper(interface->printer, value)) return true;
    g_string_printf(problem, "%s cannot be written: %s", value, g_strerror(errno));
    return false;
}

static bool set_speed(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    uint64_t speed;
    if (!value_number(value, 1 << 30, &speed)) return false;
    printer_advance(interface->printer, clock_now());
    interface->printer->speed = speed;
    return true;
}

static bool set_size(const char *value, size_t *size) {
    uint64_t number;
    if (!value_number(value, 1 << 30, &number)) return false;
    *size = (size_t)number;
    return true;
}

static bool set_buffer(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_size(value, &interface->printer->capacity);
}

static bool set_lead(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return set_size(value, &interface->printer->lead);
}

static bool set_process_ids(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    return value_switch(value, &interface->printer->answers_process_ids);
}

static bool set_port_status(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    uint64_t status;
    interface->printer->forced_port_status = -1;
    if (g_str_equal(value, "auto")) return true;
    if (!value_hex(value, UINT8_MAX, &status)) return false;
    interface->printer->forced_port_status = (int)status;
    return true;
}

static bool set_automatic_status(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    uint64_t mask;
    if (!value_number(value, UINT8_MAX, &mask)) return false;
    interface->printer->automatic_status = (uint8_t)mask;
    return true;
}

static bool answer(struct interface *interface, const char *value, GString *problem) {
    (void)problem;
    g_autoptr(GByteArray) bytes = NULL;
    if (!value_hex_bytes(value, &bytes)) return false;
    printer_answer(interface->printer, bytes->data, bytes->len);
    return true;
}

const struct setting printer_settings[] = {
    {"language", set_language},
    {"paper", set_paper},
    {"speed", set_speed},
    {"buffer", set_buffer},
    {"lead", set_lead},
    {"process-ids", set_process_ids},
    {"port-status", set_port_status},
    {"automatic-status", set_automatic_status},
    {"answer", answer},
    {NULL, NULL},
};
