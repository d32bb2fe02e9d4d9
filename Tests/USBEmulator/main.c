// usb-emulator: a USB bus of emulated printers for the real libusb. See README.md.
#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "bus/attachment.h"
#include "bus/bus.h"
#include "bus/clock.h"
#include "control/commands.h"
#include "control/socket.h"
#include "program.h"

enum { EXIT_USAGE = 64, EXIT_UNAVAILABLE = 69 };

static const char usage[] =
    "usage: usb-emulator [--control PATH] [--user NAME[:GROUP]] [--manual-clock]\n"
    "                    [--device] [--SETTING VALUE]... [--device [--SETTING VALUE]...]... [-- PROGRAM [ARGUMENT]...]\n"
    "Runs PROGRAM with a USB bus of emulated printers, and exits with its status. Without PROGRAM it prints the environment\n"
    "for programs that shall see the bus, and runs until it is told to end. README.md lists the settings.\n";

struct options {
    char *control;
    struct program program;
    GPtrArray *devices; // GPtrArray of words
};

static int refuse(const char *problem) {
    fprintf(stderr, "usb-emulator: %s\n%s", problem, usage);
    return EXIT_USAGE;
}

static void read_options(int count, char **words, struct options *options) {
    options->devices = g_ptr_array_new();
    GPtrArray *device = NULL;
    for (int i = 1; i < count; i++) {
        const char *next = i + 1 < count ? words[i + 1] : NULL;
        if (g_str_equal(words[i], "--")) {
            options->program.arguments = next != NULL ? words + i + 1 : NULL;
            break;
        }
        if (g_str_equal(words[i], "--control") && next != NULL) {
            options->control = g_strdup(words[++i]);
        } else if (g_str_equal(words[i], "--user") && next != NULL) {
            options->program.user = words[++i];
        } else if (g_str_equal(words[i], "--manual-clock")) {
            clock_make_manual();
        } else {
            bool begins = g_str_equal(words[i], "--device");
            if (begins || device == NULL) g_ptr_array_add(options->devices, device = g_ptr_array_new());
            if (begins) continue;
            g_ptr_array_add(device, words[i]);
            // A value may look like anything.
            if (!g_str_equal(words[i], "--unplugged") && next != NULL) g_ptr_array_add(device, words[++i]);
        }
    }
    if (options->devices->len == 0) g_ptr_array_add(options->devices, g_ptr_array_new());
}

static bool add_devices(const struct options *options, GString *problem) {
    for (unsigned i = 0; i < options->devices->len; i++) {
        GPtrArray *words = g_ptr_array_index(options->devices, i);
        bus_lock();
        bool is_added = command_add((char **)words->pdata, words->len, problem) != NULL;
        bus_unlock();
        if (!is_added) return false;
    }
    return true;
}

static gboolean end_on_signal(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_CONTINUE;
}

static gboolean pass_terminate(gpointer unused) {
    (void)unused;
    program_signal(SIGTERM);
    return G_SOURCE_CONTINUE;
}

static gboolean pass_interrupt(gpointer unused) {
    (void)unused;
    program_signal(SIGINT);
    return G_SOURCE_CONTINUE;
}

static int serve(const struct options *options, char **environment) {
    g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
    if (options->program.arguments == NULL) {
        for (char **variable = environment; *variable != NULL; variable++) printf("%s\n", *variable);
        fflush(stdout);
        g_unix_signal_add(SIGTERM, end_on_signal, loop);
        g_unix_signal_add(SIGINT, end_on_signal, loop);
        g_main_loop_run(loop);
        return 0;
    }
    g_unix_signal_add(SIGTERM, pass_terminate, NULL);
    g_unix_signal_add(SIGINT, pass_interrupt, NULL);
    if (!program_start(&options->program, environment, loop)) {
        fprintf(stderr, "usb-emulator: fork: %s\n", strerror(errno));
        return EXIT_UNAVAILABLE;
    }
    g_main_loop_run(loop);
    return program_status();
}

int main(int argc, char **argv) {
    struct options options = {0};
    if (argc > 1 && g_str_equal(argv[1], "--help")) return fputs(usage, stdout) < 0;
    read_options(argc, argv, &options);
    g_autoptr(GString) problem = g_string_new(NULL);
    bus_start();
    int status = EXIT_UNAVAILABLE;
    if (options.control == NULL) options.control = g_strconcat(bus.root, "/control", NULL);
    if (!add_devices(&options, problem)) {
        status = refuse(problem->str);
    } else if (!control_listen(options.control)) {
        fprintf(stderr, "usb-emulator: %s: %s\n", options.control, strerror(errno));
    } else {
        status = serve(&options, program_environment(options.control));
    }
    bus_stop();
    return status;
}
