#include "settings.h"

#include <string.h>

#include "../bus/clock.h"
#include "../printer/printer.h"
#include "values.h"

static const struct setting *setting_in(const struct setting *settings, const char *name) {
    for (const struct setting *setting = settings; setting->name != NULL; setting++) {
        if (g_str_equal(setting->name, name)) return setting;
    }
    return NULL;
}

static const struct setting *find(const struct interface *interface, const char *name, GString *problem) {
    const struct setting *setting = setting_in(description_settings, name);
    if (setting != NULL && interface->device->attachment != NULL) {
        g_string_printf(problem, "%s cannot change while the device is plugged in", name);
        return NULL;
    }
    if (setting == NULL) setting = setting_in(device_settings, name);
    if (setting == NULL) setting = setting_in(printer_settings, name);
    if (setting == NULL) setting = setting_in(fault_settings, name);
    if (setting == NULL) g_string_printf(problem, "there is no setting %s", name);
    return setting;
}

bool setting_apply(struct interface *interface, const char *name, const char *value, GString *problem) {
    int condition = condition_named(name);
    if (condition >= 0) {
        bool on;
        if (value_switch(value, &on)) {
            printer_set_condition(interface->printer, (enum condition)condition, on, clock_now());
            return true;
        }
        g_string_printf(problem, "%s is on or off", name);
        return false;
    }
    const struct setting *setting = find(interface, name, problem);
    if (setting == NULL) return false;
    if (setting->apply(interface, value, problem)) return true;
    if (problem->len == 0) g_string_printf(problem, "%s cannot be \"%s\"", name, value);
    return false;
}

bool description_read(struct device *device, char **words, size_t count, bool *plugged, GString *problem) {
    *plugged = true;
    for (size_t i = 0; i < count;) {
        struct interface *last = &device->interfaces[device->interface_count - 1];
        if (!g_str_has_prefix(words[i], "--")) {
            g_string_printf(problem, "\"%s\" is not an option", words[i]);
            return false;
        }
        if (g_str_equal(words[i], "--unplugged")) {
            *plugged = false;
            i++;
            continue;
        }
        if (i + 1 == count) {
            g_string_printf(problem, "%s needs a value", words[i]);
            return false;
        }
        if (!setting_apply(last, words[i] + strlen("--"), words[i + 1], problem)) return false;
        i += 2;
    }
    return true;
}
