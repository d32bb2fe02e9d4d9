#pragma once

#include <libusb.h>
