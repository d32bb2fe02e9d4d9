// Lines of the control socket.
#pragma once

#include <glib.h>

#include "../bus/device.h"

// Carries out one line, on the main thread, and appends the answer's line: "ok", "ok key=value …" or "error: reason".
// When it returns, hotplug events have been sent.
void command_run(const char *line, GString *answer);

// Adds a device to the bus by the words that describe it. NULL with a reason.
struct device *command_add(char **words, size_t count, GString *problem);

void statistics_describe(struct interface *interface, GString *answer);
void statistics_list_bus(GString *answer);
