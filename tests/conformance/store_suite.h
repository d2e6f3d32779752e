// What every Store must do. An implementation instantiates StoreSuite (and DurableStoreSuite, if it keeps its data over
// a restart) with a StoreLab that opens it; see src/storage/store_conformance_test.cc. Include in one test file only.
#pragma once

#include "conformance/store_change_tests.h"
#include "conformance/store_data_tests.h"
#include "conformance/store_lab.h"
