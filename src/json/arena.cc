#include "json/arena.h"

#include <memory>
#include <vector>

namespace chandler::json {
namespace {

constexpr size_t kBlockBytes = 16 * 1024;
constexpr size_t kMostSpare = 4;  // that a thread keeps

class Arena final : public boost::json::memory_resource {
 public:
  Arena() : block_(take_block()), values_(block_.get(), kBlockBytes) {}
  ~Arena() override {
    values_.release();
    // To the thread that is here now, which need not be the one it came from.
    if (spare().size() < kMostSpare) spare().push_back(std::move(block_));
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

 private:
  using Block = std::unique_ptr<unsigned char[]>;

  static std::vector<Block>& spare() {
    thread_local std::vector<Block> kept;
    return kept;
  }
  static Block take_block() {
    if (spare().empty()) return std::make_unique_for_overwrite<unsigned char[]>(kBlockBytes);
    Block block = std::move(spare().back());
    spare().pop_back();
    return block;
  }

  void* do_allocate(size_t bytes, size_t alignment) override { return values_.allocate(bytes, alignment); }
  void do_deallocate(void*, size_t, size_t) override {}
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }

  Block block_;
  boost::json::monotonic_resource values_;
};

}  // namespace
}  // namespace chandler::json

// Values in it need not be taken apart when they end.
template <>
struct boost::json::is_deallocate_trivial<chandler::json::Arena> {
  static constexpr bool value = true;
};

namespace chandler::json {

Storage arena() { return boost::json::make_shared_resource<Arena>(); }

}  // namespace chandler::json
