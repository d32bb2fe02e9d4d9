// Copyright 2017-2018 The NATS Authors
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
// http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#ifndef SRC_DEPRNATS_H_
#define SRC_DEPRNATS_H_

#ifndef _WIN32
#warning "`#include <nats.h>` is deprecated. Please use `#include <nats/nats.h>`"
#else
#pragma message ("`#include <nats.h>` is deprecated. Please use `#include <nats/nats.h>`")
#endif

#include <nats/nats.h>

#endif /* SRC_DEPRNATS_H_ */
