#pragma once

#include "../libnats/nats.h"
