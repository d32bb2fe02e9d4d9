#pragma once

// Avahi's client library is loaded when it is first needed, and not linked: it brings libdbus, and a daemon that nobody
// asks to look around is to have neither in its memory. Its headers alone are used.

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-common/error.h>
#include <avahi-common/simple-watch.h>
#include <dlfcn.h>
#include <stddef.h>

/// The functions of the library that are used, each under its name without `avahi_`.
struct cavahi_library {
    __typeof__(avahi_strerror) *strerror;
    __typeof__(avahi_simple_poll_new) *simple_poll_new;
    __typeof__(avahi_simple_poll_get) *simple_poll_get;
    __typeof__(avahi_simple_poll_iterate) *simple_poll_iterate;
    __typeof__(avahi_simple_poll_free) *simple_poll_free;
    __typeof__(avahi_client_new) *client_new;
    __typeof__(avahi_client_errno) *client_errno;
    __typeof__(avahi_client_free) *client_free;
    __typeof__(avahi_service_browser_new) *service_browser_new;
    __typeof__(avahi_service_resolver_new) *service_resolver_new;
    __typeof__(avahi_service_resolver_free) *service_resolver_free;
    __typeof__(avahi_address_snprint) *address_snprint;
    __typeof__(avahi_string_list_get_next) *string_list_get_next;
    __typeof__(avahi_string_list_get_text) *string_list_get_text;
    __typeof__(avahi_string_list_get_size) *string_list_get_size;
};

/// Loads the library for good. Returns 0 where it is not installed.
static inline int cavahi_load(struct cavahi_library *library) {
    // The client library brings the common one.
    void *handle = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return 0;
#define CAVAHI_FIND(name) ((library->name = (__typeof__(library->name))dlsym(handle, "avahi_" #name)) != NULL)
    return CAVAHI_FIND(strerror) && CAVAHI_FIND(simple_poll_new) && CAVAHI_FIND(simple_poll_get)
        && CAVAHI_FIND(simple_poll_iterate) && CAVAHI_FIND(simple_poll_free) && CAVAHI_FIND(client_new)
        && CAVAHI_FIND(client_errno) && CAVAHI_FIND(client_free) && CAVAHI_FIND(service_browser_new)
        && CAVAHI_FIND(service_resolver_new) && CAVAHI_FIND(service_resolver_free) && CAVAHI_FIND(address_snprint)
        && CAVAHI_FIND(string_list_get_next) && CAVAHI_FIND(string_list_get_text)
        && CAVAHI_FIND(string_list_get_size);
#undef CAVAHI_FIND
}
