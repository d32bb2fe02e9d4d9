#pragma once

#include <stdbool.h>
#include <stddef.h>

/// What a receipt costs at least: a blocking client that talks to OpenSSL directly, makes a connection to 127.0.0.1 for each
/// request, and keeps nothing but the TLS session.
typedef struct floor_client floor_client;

/// `ca_file` NULL speaks plain HTTP; else the server must prove by it that it is `localhost`. NULL, with a word on standard
/// error, where OpenSSL refuses.
floor_client *_Nullable floor_new(int port, const char *_Nullable ca_file);

/// A new connection, one request, and its whole answer; false, with a word on standard error, when anything goes wrong.
bool floor_send(floor_client *_Nonnull client, const void *_Nonnull request, size_t length);

/// Closes the connection, with TLS's own farewell.
void floor_close(floor_client *_Nonnull client);

void floor_free(floor_client *_Nullable client);
