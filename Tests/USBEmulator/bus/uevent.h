// Hotplug events, as udevd sends them to whoever monitors "udev".
//
// The preloaded library turns a monitor's netlink socket into a Unix socket in the test bed's folder. umockdev can send to
// these as well, but ends the process when a program reads its events slowly (more than 10 unread ones): a hotplug storm
// needs a sender that waits.
#pragma once

#include "attachment.h"

// Without events, devices come and go as where no udevd runs.
void uevent_set_silent(bool silent);
void uevent_queue(const struct attachment *attachment, const char *action);
// Sends what is queued, on the main thread and without the bus's lock: it waits for slow readers.
void uevent_send_queued(void);
