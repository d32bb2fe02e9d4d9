#pragma once

#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdint.h>
#include <sys/eventfd.h>

/// A descriptor that nobody waits on: libssh2 wants one before it begins, and only asks and sets its flags. Negative when
/// there are no more.
static inline int clibssh2_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// The beginning of libssh2's channel, as every release from 1.2 to 1.11 has it.
struct clibssh2_channel {
    void *next, *previous, *head;
    unsigned char *type;
    unsigned type_length;
    int exit_status;
};

/// Sets the exit status that a channel has while none came, so that 0 is told from none: libssh2 does not tell. Returns 0,
/// and changes nothing, where libssh2 keeps it elsewhere than expected.
static inline int clibssh2_preset_exit_status(LIBSSH2_CHANNEL *channel, int status) {
    struct clibssh2_channel *fields = (struct clibssh2_channel *)channel;
    if (fields->type_length != 7 || fields->exit_status != 0 || libssh2_channel_get_exit_status(channel) != 0) return 0;
    fields->exit_status = status;
    if (libssh2_channel_get_exit_status(channel) == status) return 1;
    fields->exit_status = 0;
    return 0;
}
