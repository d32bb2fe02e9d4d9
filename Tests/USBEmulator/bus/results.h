// What an endpoint answers, where it is no byte count: an errno below zero as in the kernel's URBs, or NAK.
#pragma once

#include <errno.h>

// Not now: the transfer stays pending.
enum { NAK = -100000 };
