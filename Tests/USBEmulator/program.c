#include "program.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus/bus.h"

static GPid process;
static int wait_status;

// The folder of the emulator may be closed to the user that the program runs as; the test bed is not.
static char *install_guard(void) {
    g_autoptr(GError) error = NULL;
    g_autofree char *self = g_file_read_link("/proc/self/exe", &error);
    g_autofree char *folder = self != NULL ? g_path_get_dirname(self) : NULL;
    g_autofree char *library = g_strconcat(folder, "/open-guard.so", NULL);
    g_autofree char *content = NULL;
    gsize length;
    char *copy = g_strconcat(bus.root, "/open-guard.so", NULL);
    if (self == NULL || !g_file_get_contents(library, &content, &length, &error)
        || !g_file_set_contents_full(copy, content, (gssize)length, G_FILE_SET_CONTENTS_NONE, 0755, &error)) {
        g_error("%s", error->message);
    }
    chmod(copy, 0755);
    return copy;
}

char **program_environment(const char *control) {
    g_autofree char *guard = install_guard();
    const char *preloaded = g_getenv("LD_PRELOAD");
    GStrvBuilder *builder = g_strv_builder_new();
    g_autofree char *preload = g_strconcat("LD_PRELOAD=", guard, ":libumockdev-preload.so.0", preloaded != NULL ? ":" : NULL,
        preloaded, NULL);
    g_autofree char *folder = g_strconcat("UMOCKDEV_DIR=", bus.root, NULL);
    g_autofree char *socket = g_strconcat("USB_EMULATOR_CONTROL=", control, NULL);
    g_strv_builder_add_many(builder, preload, folder, socket, NULL);
    char **environment = g_strv_builder_end(builder);
    g_strv_builder_unref(builder);
    return environment;
}

static bool become(const char *user) {
    g_autofree char *name = g_strdup(user);
    char *colon = strchr(name, ':');
    if (colon != NULL) *colon = 0;
    const struct passwd *account = getpwnam(name);
    if (account == NULL) return false;
    const struct group *group = colon != NULL ? getgrnam(colon + 1) : NULL;
    if (colon != NULL && group == NULL) return false;
    gid_t groups[] = {account->pw_gid, group != NULL ? group->gr_gid : account->pw_gid};
    return setgroups(2, groups) == 0 && setgid(account->pw_gid) == 0 && setuid(account->pw_uid) == 0;
}

static void run(const struct program *program, char **environment) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (program->user != NULL && !become(program->user)) {
        fprintf(stderr, "usb-emulator: cannot become %s\n", program->user);
        _exit(126);
    }
    // After the user changed, which would undo it: the program does not outlive the emulator.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (char **variable = environment; *variable != NULL; variable++) putenv(*variable);
    execvp(program->arguments[0], program->arguments);
    fprintf(stderr, "usb-emulator: %s: %s\n", program->arguments[0], strerror(errno));
    _exit(127);
}

static void ended(GPid ended_process, gint status, gpointer loop) {
    (void)ended_process;
    process = 0;
    wait_status = status;
    g_main_loop_quit(loop);
}

bool program_start(const struct program *program, char **environment, GMainLoop *loop) {
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) run(program, environment);
    process = child;
    g_child_watch_add(child, ended, loop);
    return true;
}

void program_signal(int number) {
    if (process != 0) kill(process, number);
}

int program_status(void) { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status); }
