#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "../bus/attachment.h"
#include "../bus/bus.h"
#include "../bus/clock.h"
#include "../bus/uevent.h"
#include "../printer/printer.h"
#include "settings.h"
#include "values.h"

struct device *command_add(char **words, size_t count, GString *problem) {
    bool plugged;
    struct device *device = device_new(bus.devices->len);
    if (!description_read(device, words, count, &plugged, problem)) return NULL;
    if (plugged && !attachment_plug(device, problem)) return NULL;
    g_ptr_array_add(bus.devices, device);
    return device;
}

static bool run_on_bus(char **words, size_t count, GString *answer, GString *problem) {
    const char *name = words[0];
    uint64_t milliseconds;
    bool on;
    if (g_str_equal(name, "add")) {
        struct device *device = command_add(words + 1, count - 1, problem);
        if (device == NULL) return false;
        g_string_append_printf(answer, " device=%u", device->index);
    } else if (g_str_equal(name, "list")) {
        statistics_list_bus(answer);
    } else if (g_str_equal(name, "advance") && count == 2 && value_number(words[1], UINT32_MAX, &milliseconds)) {
        if (!clock_is_manual()) clock_make_manual();
        clock_advance((int64_t)milliseconds * 1000);
    } else if (g_str_equal(name, "run") && count == 1) {
        clock_make_real();
    } else if (g_str_equal(name, "messages") && count == 2 && value_switch(words[1], &on)) {
        uevent_set_silent(!on);
    } else {
        g_string_printf(problem, "the bus has no command %s", name);
        return false;
    }
    return true;
}

static bool unplug(struct device *device, GString *problem) {
    if (device->attachment == NULL) {
        g_string_assign(problem, "it is not plugged in");
        return false;
    }
    attachment_pull(device);
    return true;
}

static void list_records(const struct records *records, GString *answer) {
    unsigned first = records->count > RECORDS_MAX ? records->count - RECORDS_MAX : 0;
    for (unsigned i = first; i < records->count; i++) {
        g_string_append_printf(answer, " %s", records->ring[i % RECORDS_MAX].text);
    }
}

static bool run_on_device(struct interface *interface, char **words, size_t count, GString *answer, GString *problem) {
    struct device *device = interface->device;
    const char *name = words[0], *value = count > 1 ? words[1] : NULL;
    if (g_str_equal(name, "plug")) {
        return (value == NULL || setting_apply(interface, "port", value, problem)) && attachment_plug(device, problem);
    }
    if (value != NULL) return setting_apply(interface, name, value, problem);
    if (g_str_equal(name, "unplug")) return unplug(device, problem);
    if (g_str_equal(name, "power-off")) {
        for (unsigned i = 0; i < device->interface_count; i++) printer_power_off(device->interfaces[i].printer);
        return device->attachment == NULL || unplug(device, problem);
    }
    if (g_str_equal(name, "stats")) {
        statistics_describe(interface, answer);
    } else if (g_str_equal(name, "transfers")) {
        list_records(&interface->transfers, answer);
    } else if (g_str_equal(name, "requests")) {
        list_records(&device->requests, answer);
    } else {
        g_string_printf(problem, "there is no command %s, or it needs a value", name);
        return false;
    }
    return true;
}

// "0", or "0.1" for its second interface.
static struct interface *interface_at(const char *address) {
    unsigned device, interface = 0;
    char rest;
    int read = sscanf(address, "%u.%u%c", &device, &interface, &rest);
    if (read != 1 && read != 2) return NULL;
    if (device >= bus.devices->len) return NULL;
    return device_interface(g_ptr_array_index(bus.devices, device), interface);
}

static bool run(const char *line, GString *answer, GString *problem) {
    g_auto(GStrv) words = NULL;
    int count;
    if (!g_shell_parse_argv(line, &count, &words, NULL) || count < 2) {
        g_string_assign(problem, "a line is \"DEVICE[.INTERFACE] COMMAND [VALUE]\" or \"bus COMMAND …\"");
        return false;
    }
    if (g_str_equal(words[0], "bus")) return run_on_bus(words + 1, (size_t)count - 1, answer, problem);
    struct interface *interface = interface_at(words[0]);
    if (interface != NULL) return run_on_device(interface, words + 1, (size_t)count - 1, answer, problem);
    g_string_printf(problem, "there is no device or interface %s", words[0]);
    return false;
}

void command_run(const char *line, GString *answer) {
    g_autoptr(GString) problem = g_string_new(NULL);
    g_autoptr(GString) details = g_string_new(NULL);
    // A device that was pulled by a fault is off the bus before anything else happens to it.
    attachment_clear_away();
    bus_lock();
    bool is_done = run(line, details, problem);
    bus_settle();
    bus_unlock();
    attachment_clear_away();
    if (is_done) {
        g_string_append_printf(answer, "ok%s\n", details->str);
    } else {
        g_string_append_printf(answer, "error: %s\n", problem->str);
    }
}
