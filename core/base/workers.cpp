#include "core/base/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace fabricscope {

namespace {

class Workers {
public:
    Workers(std::size_t items, const std::function<bool(std::size_t)>& work) : m_items(items), m_work(work) {}

    /// Nothing leaves it: an exception at the top of a thread would end the program.
    void run() noexcept
    {
        try {
            while (!m_over.load()) {
                const std::size_t item = m_next.fetch_add(1);
                if (item >= m_items || !m_work(item))
                    break;
            }
        } catch (...) {
            const std::lock_guard lock(m_mutex);
            if (!m_failure)
                m_failure = std::current_exception();
        }
        m_over = true;
    }

    void rethrow() const
    {
        if (m_failure)
            std::rethrow_exception(m_failure);
    }

private:
    const std::size_t m_items;
    const std::function<bool(std::size_t)>& m_work;
    std::atomic<std::size_t> m_next{0};
    std::atomic<bool> m_over{false};
    std::mutex m_mutex;
    std::exception_ptr m_failure;
};

} // namespace

int workerCount(std::size_t items, std::int64_t wanted)
{
    const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    const auto pieces = static_cast<std::int64_t>(std::min<std::size_t>(items, 1U << 20));
    return static_cast<int>(std::max<std::int64_t>(1, std::min({wanted, cores, pieces})));
}

void forEachItem(std::size_t items, std::int64_t threads, const std::function<bool(std::size_t)>& work)
{
    Workers workers(items, work);
    {
        const int count = workerCount(items, threads);
        std::vector<std::jthread> helpers;
        helpers.reserve(static_cast<std::size_t>(count));
        try {
            for (int i = 1; i < count; ++i)
                helpers.emplace_back([&workers] { workers.run(); });
        } catch (const std::system_error&) { // No room for another stack, or no more processes allowed.
        } catch (const std::bad_alloc&) {
        }
        workers.run();
    }
    workers.rethrow();
}

} // namespace fabricscope
