#pragma once

#include "core/base/outofmemory.h"
#include "widgets/base/backgroundthreads.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThread>

#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace fabricscope {

/// A Result or a Status is an answer as it is; anything else comes as a Result of it.
template <class T>
struct AnswerOf {
    using Type = Result<T>;
};
template <class T>
struct AnswerOf<Result<T>> {
    using Type = Result<T>;
};
template <>
struct AnswerOf<Status> {
    using Type = Status;
};
template <class Work>
using Answer = typename AnswerOf<std::decay_t<std::invoke_result_t<Work&>>>::Type;

/// What `work` returns; an error when it throws, whatever it throws: MemoryLimit for want of memory, else Internal. For the outermost
/// call of a thread and of an event, where an exception has nowhere to go.
template <class Work>
Answer<Work> attempted(Work&& work)
{
    try {
        return catchOutOfMemory([&]() -> Answer<Work> { return work(); });
    } catch (const std::exception& thrown) {
        return Error{ErrorCode::Internal, thrown.what(), {}, {}};
    } catch (...) {
        return Error{ErrorCode::Internal, "something unknown was thrown", {}, {}};
    }
}

/// Calls `post`, which may need memory that others are about to give back, until it does not throw; a few seconds at most.
template <class Post>
void postPatiently(const Post& post)
{
    constexpr int kTries = 200;
    constexpr unsigned long kPauseMs = 25;
    for (int i = 0; i < kTries; ++i) {
        try {
            return post();
        } catch (const std::bad_alloc&) {
            QThread::msleep(kPauseMs);
        }
    }
}

/// Runs `work` on another thread and hands its Answer to `done` on the calling thread, unless `receiver` is gone by then: nothing that `work` throws
/// ends the program, and where there is no thread for it the answer is noThread(). To be called on the thread of the application; `done` is called
/// later. Several calls may overtake one another: `done` has to know whether its answer is still wanted. `threads`: others than the global ones, for
/// work of minutes that must not keep short work waiting.
template <class Work, class Done>
void inBackground(QObject* receiver, Work work, Done done, BackgroundThreads& threads = BackgroundThreads::global())
{
    // The application outlives the work, so that posting to it is safe whatever happens to the receiver. An object made for the answer would
    // not do: when the application ends with answers not delivered, deleting it waits for a lock that is held.
    QObject* mailbox = QCoreApplication::instance();
    QPointer<QObject> guard(receiver);
    struct Job {
        std::optional<Work> work;
        Done done;
        std::optional<Answer<Work>> answer; ///< Its place is there before the work begins.
    };
    auto job = std::make_shared<Job>(Job{std::move(work), std::move(done), std::nullopt});
    const auto post = [mailbox, guard, job] {
        QMetaObject::invokeMethod(
            mailbox,
            [guard, job] {
                if (guard)
                    job->done(std::move(*job->answer));
            },
            Qt::QueuedConnection);
    };
    const bool started = threads.start([post, job] {
        job->answer.emplace(attempted(*job->work));
        job->work.reset(); // What it held may be what is missing now.
        postPatiently(post);
    });
    if (!started) {
        job->answer.emplace(noThread());
        post();
    }
}

} // namespace fabricscope
