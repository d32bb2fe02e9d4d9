#pragma once

#include "../src/nats.h"
