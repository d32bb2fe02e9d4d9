// The program under test.
#pragma once

#include <glib.h>
#include <stdbool.h>

struct program {
    char **arguments; // NULL-terminated
    const char *user; // "NAME" or "NAME:GROUP"; NULL: whoever runs the emulator
};

// Copies the library that guards open() into the test bed, and names what programs in it need in their environment:
// "NAME=value" strings, NULL-terminated.
char **program_environment(const char *control);
// Starts it; ends `loop` when it ends. False when it cannot be started.
bool program_start(const struct program *program, char **environment, GMainLoop *loop);
// Passes a signal on.
void program_signal(int number);
// As a shell tells it: the exit status, or 128 and the signal's number.
int program_status(void);
