#include "brokers/supervisor/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ids.h"

namespace chandler::brokers {
namespace {

constexpr uint16_t kFirst = 20'000;
constexpr uint16_t kCount = 12'000;
constexpr int kAttempts = 1000;

bool is_free(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return bound;
}

}  // namespace

Result<uint16_t> free_port(const std::set<uint16_t>& taken) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto bytes = random_bytes(2);
    const unsigned number = static_cast<unsigned char>(bytes[0]) * 256U + static_cast<unsigned char>(bytes[1]);
    const auto port = static_cast<uint16_t>(kFirst + number % kCount);
    if (!taken.contains(port) && is_free(port)) return port;
  }
  return unavailable("no free port was found from 20000 to 31999 on 127.0.0.1");
}

}  // namespace chandler::brokers
