// Boost.JSON's own code, compiled here once for the whole program, with another hash of the keys of objects. The
// library finds the bucket by FNV-1a from the address of the table; a client that knows the low bits of the addresses,
// which allocators align, sends keys that all fall into one bucket.
#include <boost/json.hpp>

#include "base/text_hash.h"

namespace boost::json::detail {

// object.ipp calls digest(begin, end, salt). Overload resolution prefers this function to the library's template of
// that name. ReaderGrowth.KeysOfOneBucketCostNoMoreThanOthers fails if a version of the library no longer calls it.
inline std::size_t digest(const char* begin, const char* end, std::size_t /*salt*/) noexcept {
  return chandler::hash_text({begin, static_cast<std::size_t>(end - begin)});
}

}  // namespace boost::json::detail

#include <boost/json/src.hpp>
