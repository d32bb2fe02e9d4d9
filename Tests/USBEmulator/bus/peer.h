// The process behind a client. A process that is killed while it is given an answer stays "connected" for umockdev 0.17, which
// then neither reads from its socket nor closes it; the kernel would have closed what it had open.
#pragma once

#include <umockdev.h>

// Notes the socket that a new client has come by.
void peer_note(UMockdevIoctlClient *client);

// A way to tell whether a client still has the node open: this one, or umockdev_ioctl_client_get_connected(), which costs nothing.
typedef gboolean client_test(UMockdevIoctlClient *client);

// Asks the socket.
gboolean peer_is_connected(UMockdevIoctlClient *client);
