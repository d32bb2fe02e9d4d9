// The control socket: tests connect, send lines, and get a line for each.
#pragma once

#include <stdbool.h>

// False (with errno) when it cannot listen there.
bool control_listen(const char *path);
