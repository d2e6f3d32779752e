#include "apiserver/request_arena.h"

#include <memory>

namespace chandler::apiserver {

namespace {

constexpr size_t kBlockBytes = 8 * 1024;

class RequestArena final : public boost::json::memory_resource {
 public:
  RequestArena() : block_(take_block()), values_(block_.get(), kBlockBytes) {}
  ~RequestArena() override {
    values_.release();
    spare() = std::move(block_);  // of the thread that is here now, which need not be the one it came from
  }
  RequestArena(const RequestArena&) = delete;
  RequestArena& operator=(const RequestArena&) = delete;

 private:
  using Block = std::unique_ptr<unsigned char[]>;

  static Block& spare() {
    thread_local Block kept;
    return kept;
  }
  static Block take_block() {
    Block block = std::move(spare());
    return block != nullptr ? std::move(block) : std::make_unique_for_overwrite<unsigned char[]>(kBlockBytes);
  }

  void* do_allocate(size_t bytes, size_t alignment) override { return values_.allocate(bytes, alignment); }
  void do_deallocate(void*, size_t, size_t) override {}
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }

  Block block_;
  boost::json::monotonic_resource values_;
};

}  // namespace

}  // namespace chandler::apiserver

// Values in it need not be taken apart when they end.
template <>
struct boost::json::is_deallocate_trivial<chandler::apiserver::RequestArena> {
  static constexpr bool value = true;
};

namespace chandler::apiserver {

json::Storage request_arena() { return boost::json::make_shared_resource<RequestArena>(); }

}  // namespace chandler::apiserver
