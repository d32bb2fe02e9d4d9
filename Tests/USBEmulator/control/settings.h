// Everything about a device that has a name and a value: options of the command line ("--speed 1000") and commands of the
// control socket ("0 speed 1000") are the same.
#pragma once

#include "../bus/device.h"

struct setting {
    const char *name;
    // Applies the value to the interface, or to its device; false with a reason, where there is more to say than that the
    // value is wrong.
    bool (*apply)(struct interface *interface, const char *value, GString *problem);
};

// Lists that end with an entry without a name.
extern const struct setting description_settings[]; // what a device is: only while it is not plugged in
extern const struct setting device_settings[];
extern const struct setting printer_settings[];
extern const struct setting fault_settings[];

// Applies a setting by its name; false with a reason.
bool setting_apply(struct interface *interface, const char *name, const char *value, GString *problem);

// Reads "--name value" words that describe a device; `*plugged` is false after "--unplugged".
bool description_read(struct device *device, char **words, size_t count, bool *plugged, GString *problem);
