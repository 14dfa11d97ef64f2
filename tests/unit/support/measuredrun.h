#pragma once

#include "clipath.h"
#include "tests/unit/support/sanitized.h"

#include <QByteArray>
#include <QFile>
#include <QStringList>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fabricscope::test {

struct MeasuredRun {
    int exit = -1; ///< -1: it crashed or was killed.
    QByteArray out;
    QByteArray err;
    qint64 peakBytes = 0; ///< Largest resident memory; meaningless where kSanitized.
};

/// Runs fabricscope-cli in `folder` and measures it. It is killed after two minutes of processor time.
inline MeasuredRun runMeasured(const QStringList& arguments, const QString& folder)
{
    std::vector<QByteArray> words{QByteArray(kCliPath)};
    for (const QString& argument : arguments)
        words.push_back(argument.toUtf8());
    std::vector<char*> argv;
    for (QByteArray& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const QByteArray where = folder.toUtf8();
    const QByteArray out = where + "/stdout.txt";
    const QByteArray err = where + "/stderr.txt";

    MeasuredRun result;
    ::malloc_trim(0); // A child starts with the memory of its parent, and its largest counts.
    const pid_t child = ::fork();
    if (child < 0)
        return result;
    if (child == 0) { // only what is safe between fork and exec
        const rlimit time{120, 120};
        const rlimit core{0, 0};
        ::setrlimit(RLIMIT_CPU, &time);
        ::setrlimit(RLIMIT_CORE, &core);
        const int outFile = ::open(out.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int errFile = ::open(err.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (outFile < 0 || errFile < 0 || ::dup2(outFile, 1) < 0 || ::dup2(errFile, 2) < 0 || ::chdir(where.constData()) != 0)
            ::_exit(127);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    int status = 0;
    rusage usage{};
    while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) { }
    if (WIFEXITED(status))
        result.exit = WEXITSTATUS(status);
    result.peakBytes = qint64{usage.ru_maxrss} * 1024;
    const auto read = [](const QByteArray& name) {
        QFile file(QString::fromUtf8(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    result.out = read(out);
    result.err = read(err);
    return result;
}

} // namespace fabricscope::test
