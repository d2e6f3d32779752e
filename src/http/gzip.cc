#include "http/gzip.h"

#include <zlib.h>

#include <utility>

#include "base/check.h"

namespace chandler::http {
namespace {

constexpr int kWindowBits = 15 + 16;  // 16 asks zlib for a gzip header
constexpr int kMemoryLevel = 8;

class GzipSource final : public BodySource {
 public:
  explicit GzipSource(std::unique_ptr<BodySource> source) : source_(std::move(source)) {
    // The fastest level: the answer should leave soon, and JSON shrinks several times at any level.
    CH_CHECK(deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~GzipSource() override { deflateEnd(&stream_); }

  State fill(std::string& out, size_t budget) override {
    plain_.clear();
    const State state = source_->fill(plain_, budget);
    deflate_into(out, state == State::kEnd ? Z_FINISH : state == State::kWaiting ? Z_SYNC_FLUSH : Z_NO_FLUSH);
    return state;
  }
  void shut_down() override { source_->shut_down(); }

 private:
  void deflate_into(std::string& out, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(plain_.data());
    stream_.avail_in = static_cast<uInt>(plain_.size());
    char piece[16 * 1024];
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece);
      stream_.avail_out = sizeof(piece);
      deflate(&stream_, flush);
      out.append(piece, sizeof(piece) - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<BodySource> source_;
  std::string plain_;
  z_stream stream_{};
};

}  // namespace

std::string gzip_text(std::string_view first, std::string_view second) {
  class TextSource final : public BodySource {
   public:
    TextSource(std::string_view a, std::string_view b) : a_(a), b_(b) {}
    State fill(std::string& out, size_t /*budget*/) override {
      out.append(a_).append(b_);
      return State::kEnd;
    }

   private:
    std::string_view a_, b_;
  };
  std::string out;
  GzipSource source(std::make_unique<TextSource>(first, second));
  source.fill(out, first.size() + second.size());
  return out;
}

std::unique_ptr<BodySource> gzip(std::unique_ptr<BodySource> source) {
  return std::make_unique<GzipSource>(std::move(source));
}

}  // namespace chandler::http
