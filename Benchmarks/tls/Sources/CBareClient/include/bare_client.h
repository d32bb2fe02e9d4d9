#pragma once

#include <stdbool.h>
#include <stddef.h>

/// What a receipt costs at least: a blocking client that talks to OpenSSL directly, makes a connection to 127.0.0.1 for each
/// request, and keeps nothing but the TLS session.
typedef struct bare_client bare_client;

/// `ca_file` NULL speaks plain HTTP; else the server must prove by it that it is `localhost`. NULL, with a word on standard
/// error, where OpenSSL refuses.
bare_client *_Nullable bare_client_new(int port, const char *_Nullable ca_file);

/// A new connection, one request, and its whole response; false, with a word on standard error, when anything goes wrong.
bool bare_client_send(bare_client *_Nonnull client, const void *_Nonnull request, size_t length);

/// Closes the connection, with the TLS close_notify.
void bare_client_close(bare_client *_Nonnull client);

void bare_client_free(bare_client *_Nullable client);
