// One thread that gives a Worker (the engine, a leader election) its turns and sleeps while nothing is due.
//
// stop() ends after the piece of work at hand and waits for nothing else: a write under way is the store's business and
// is found in State next time; a call under way is abandoned and repeated, since its intent is stored.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "controller/worker.h"

namespace chandler::controller {

class EngineThread {
 public:
  EngineThread(Worker& worker, const Clock& clock, std::string name = "controller");
  ~EngineThread();  // stop()
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  void start();
  void stop();

 private:
  struct Bell {  // shared with callbacks, which may ring late
    Mutex mutex;
    CondVar changed;
    bool rung CH_GUARDED_BY(mutex) = false;
    bool stopping CH_GUARDED_BY(mutex) = false;
  };
  void run();

  Worker& worker_;
  const Clock& clock_;
  const std::string name_;
  std::shared_ptr<Bell> bell_;
  std::thread thread_;
};

}  // namespace chandler::controller
