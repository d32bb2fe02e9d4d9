// Keeps the keys of a server on libcups in a folder of its own (KEY_FOLDER): libcups puts those of root under /etc/cups/ssl,
// whatever the environment says, and tests that run side by side would share them. Part of pappl-printer; preloaded
// where somebody else's program shall do the same.
#include <cups/cups.h>
#include <dlfcn.h>
#include <stdlib.h>

int cupsSetServerCredentials(const char *path, const char *common_name, int auto_create) {
    int (*original)(const char *, const char *, int) = dlsym(RTLD_NEXT, "cupsSetServerCredentials");
    const char *folder = getenv("KEY_FOLDER");
    return original(folder ? folder : path, common_name, auto_create);
}
