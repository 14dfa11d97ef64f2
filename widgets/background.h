#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace fabricscope {

/// Runs `work` on a thread of the global pool and hands what it returns to `done` on the calling thread, unless `receiver` is gone
/// by then. To be called on the thread of the application. Several calls may overtake one another: `done` has to know whether its answer is still wanted. `pool`: another than the global one, for
/// work of minutes that must not keep short work waiting.
template <class Work, class Done>
void inBackground(QObject* receiver, Work work, Done done, QThreadPool* pool = QThreadPool::globalInstance())
{
    // The application outlives the work, so that posting to it is safe whatever happens to the receiver. An object made for the answer would
    // not do: when the application ends with answers not delivered, deleting it waits for a lock that is held.
    QObject* mailbox = QCoreApplication::instance();
    QPointer<QObject> guard(receiver);
    pool->start([mailbox, guard, work = std::move(work), done = std::move(done)]() mutable {
        auto answer = std::make_shared<decltype(work())>(work());
        QMetaObject::invokeMethod(
            mailbox,
            [guard, answer, done = std::move(done)]() mutable {
                if (guard)
                    done(std::move(*answer));
            },
            Qt::QueuedConnection);
    });
}

} // namespace fabricscope
