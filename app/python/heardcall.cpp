#include "app/python/heardcall.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <optional>
#include <thread>

namespace py = pybind11;

namespace fabricscope::python {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

/// What a thread does, and how it ended.
class Worker {
public:
    explicit Worker(const std::function<void(const std::stop_token&)>& work)
        : m_thread([this, &work](const std::stop_token& stop) {
              try {
                  work(stop);
              } catch (...) {
                  m_failure = std::current_exception();
              }
              const std::lock_guard lock(m_mutex);
              m_done = true;
              m_changed.notify_one();
          })
    {
    }

    /// Whether it has ended, for which it waits a few milliseconds.
    bool waitALittle()
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, kBetweenLooks, [this] { return m_done; });
    }
    void stop() { m_thread.request_stop(); }
    /// Waits for the end and throws what was thrown.
    void finish()
    {
        m_thread.join();
        if (m_failure)
            std::rethrow_exception(m_failure);
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_done = false;
    std::exception_ptr m_failure;
    std::jthread m_thread; ///< The last: it uses the others.
};

/// Hears signals and tells how far the work is. Throws what that raises.
void look(const py::object& told, CallProgress& progress)
{
    if (PyErr_CheckSignals() != 0)
        throw py::error_already_set();
    CallProgress::State state;
    if (told.is_none() || !progress.take(state))
        return;
    told(state.phase, state.share, state.secondsLeft >= 0 ? py::object(py::float_(state.secondsLeft)) : py::object(py::none()));
}

} // namespace

void callHeard(const std::function<void(const std::stop_token&)>& work, const py::object& told, CallProgress& progress)
{
    std::optional<py::error_already_set> raised;
    {
        Worker worker(work);
        const auto ended = [&worker] {
            const py::gil_scoped_release released;
            return worker.waitALittle();
        };
        while (!ended()) {
            try {
                if (!raised)
                    look(told, progress);
            } catch (const py::error_already_set& error) {
                raised.emplace(error);
                worker.stop();
            }
        }
        try {
            worker.finish();
        } catch (...) {
            if (!raised)
                throw;
        }
    }
    if (raised)
        throw py::error_already_set(*raised);
    look(told, progress); // The last of it.
}

} // namespace fabricscope::python
