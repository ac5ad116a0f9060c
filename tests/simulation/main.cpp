// SPDX-License-Identifier: Apache-2.0
#include "simulation/lock_sim.h"

int main(int argc, char** argv) { return pawl::testing::lock_sim(argc, argv); }
