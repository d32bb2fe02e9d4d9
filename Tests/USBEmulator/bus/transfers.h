// Transfers (URBs) between being submitted and being reaped.
#pragma once

#include "attachment.h"
#include "peer.h"

struct transfer {
    UMockdevIoctlData *urb, *buffer; // the client's struct usbdevfs_urb and what it points to
    UMockdevIoctlClient *client;
    size_t done;
    int64_t due; // when a held-back transfer is let go
};

// Takes a reference to both. 0 or an errno: ENOENT when the client does not hold the endpoint's interface.
int transfers_submit(struct attachment *attachment, UMockdevIoctlClient *client, UMockdevIoctlData *urb);
// Ends the transfer whose struct lies at this address of the client. False when it has ended already.
bool transfers_discard(struct attachment *attachment, UMockdevIoctlClient *client, gulong address);
// The next ended transfer of a client, or NULL; transfer_free() it.
struct transfer *transfers_reap(struct attachment *attachment, UMockdevIoctlClient *client);
void transfer_free(struct transfer *transfer);

// Moves every transfer on as far as it can; an endpoint waits behind its first one. True while some are held back.
bool transfers_run(struct attachment *attachment, int64_t now);
// Ends all of them.
void transfers_fail(struct attachment *attachment, int status);
// Forgets clients that closed the node, with their transfers and claims.
void transfers_forget_closed(struct attachment *attachment, client_test *is_connected);
