#include "conformance/store_suite.h"
#include "storage/embedded/embedded_store.h"
#include "storage/memory/memory_store.h"
#include "storage/temp_directory.h"

namespace chandler::storage {
namespace {

class MemoryLab final : public StoreLab {
 public:
  std::unique_ptr<Store> open(CommitLimits limits) override { return std::make_unique<MemoryStore>(limits); }
};

class EmbeddedLab final : public StoreLab {
 public:
  explicit EmbeddedLab(Durability durability) : durability_(durability) {}
  std::unique_ptr<Store> open(CommitLimits limits) override {
    EmbeddedOptions options;
    options.directory = directory_.path();
    options.limits = limits;
    options.durability = durability_;
    options.sync_every = std::chrono::milliseconds(1);
    options.checkpoint_pages = 20;  // so that checkpoints happen within a test
    return EmbeddedStore::open(options).value();
  }

 private:
  const Durability durability_;
  const TempDirectory directory_;
};

const StoreParam kMemory{"Memory", [] { return std::make_unique<MemoryLab>(); }};
const StoreParam kEmbedded{"Embedded", [] { return std::make_unique<EmbeddedLab>(Durability::kFull); }};
const StoreParam kUnsynced{"EmbeddedNormal", [] { return std::make_unique<EmbeddedLab>(Durability::kNormal); }};

INSTANTIATE_TEST_SUITE_P(Stores, StoreSuite, ::testing::Values(kMemory, kEmbedded, kUnsynced), store_param_name);
INSTANTIATE_TEST_SUITE_P(Stores, DurableStoreSuite, ::testing::Values(kEmbedded, kUnsynced), store_param_name);

}  // namespace
}  // namespace chandler::storage
