#include "app/write_and_wait.h"

#include <future>
#include <utility>

namespace chandler::app {

Result<client::Object> write_and_wait(client::Writer& writer, client::Write write) {
  std::promise<Result<client::Object>> answer;
  writer.write(std::move(write), [&](Result<client::Object> result) { answer.set_value(std::move(result)); });
  return answer.get_future().get();
}

}  // namespace chandler::app
