// The process behind a client. A process that is killed while it is given an answer stays "connected" for umockdev 0.17, which
// then neither reads from its socket nor closes it; the kernel would have closed what it had open.
#pragma once

#include <stdbool.h>
#include <umockdev.h>

// Notes the socket that a new client has come by.
void peer_note(UMockdevIoctlClient *client);

// Whether its process still has the node open.
bool peer_is_connected(UMockdevIoctlClient *client);
