#pragma once

#include "clipath.h"
#include "core/trace/etwriter.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fabricscope::test {

struct CliResult {
    int exit = -1; ///< -1: it crashed or did not end.
    QByteArray out;
    QByteArray err;
};

/// Runs fabricscope-cli; `folder`: working directory, `program`: another name of it.
inline CliResult runCli(const QStringList& arguments, const QString& folder = {}, const QString& program = QString::fromUtf8(kCliPath))
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setStandardInputFile(QProcess::nullDevice()); // Whoever reads it does not wait.
    process.start(program, arguments);
    CliResult result;
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
        return result;
    }
    if (process.exitStatus() == QProcess::NormalExit)
        result.exit = process.exitCode();
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    return result;
}

/// The same with arguments between blanks.
inline CliResult runCli(const char* arguments)
{
    return runCli(QString::fromUtf8(arguments).split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

/// Waits, without sleeping, until `reached`; false: the process ended before, or two minutes have passed.
inline bool waitUntil(QProcess& process, const std::function<bool()>& reached)
{
    QElapsedTimer patience;
    patience.start();
    while (!reached()) {
        if (process.state() == QProcess::NotRunning || patience.elapsed() > 120'000)
            return false;
        QCoreApplication::processEvents();
        process.waitForReadyRead(1);
    }
    return true;
}

/// Whether Ctrl+C of a running command is heard: SIGINT is blocked (bit 1 of the mask), for the thread that waits for it.
inline bool takesInterrupts(const QProcess& process)
{
    QFile status(QStringLiteral("/proc/%1/status").arg(process.processId()));
    if (!status.open(QIODevice::ReadOnly))
        return false;
    for (const QByteArray& line : status.readAll().split('\n')) {
        if (line.startsWith("SigBlk:"))
            return (line.mid(7).trimmed().toULongLong(nullptr, 16) & 2U) != 0;
    }
    return false;
}

/// The JSON of a run; null when it is none.
inline nlohmann::json jsonOf(const CliResult& result)
{
    return nlohmann::json::parse(result.out.toStdString(), nullptr, false);
}

/// The error that is printed under --json where there is no result; null where it is none, has other keys than the manual lists, or more was printed.
inline nlohmann::json errorOf(const CliResult& result)
{
    const nlohmann::json answer = jsonOf(result);
    if (!answer.is_object() || answer.size() != 2 || answer.value("schema", 0) != 1 || !answer.contains("error") || result.out.count('\n') != 1)
        return {};
    const QStringList keys{"code", "file", "line", "column", "offset", "rank", "node", "field", "message", "expected"};
    for (const auto& [key, value] : answer["error"].items()) {
        if (!keys.contains(QString::fromStdString(key)))
            return {};
    }
    return answer["error"];
}

/// Whether a command under --json printed nothing but the error of its exit code.
inline bool isErrorAlone(const CliResult& result)
{
    const nlohmann::json error = errorOf(result);
    return error.is_object() && error.value("code", -1) == result.exit;
}

/// The finish lines of `astra`: rank -> cycles, in the order they were printed.
inline std::vector<std::pair<int, long long>> finishLines(const QByteArray& out)
{
    std::vector<std::pair<int, long long>> lines;
    for (const QByteArray& line : out.split('\n')) {
        const qsizetype sys = line.indexOf("sys[");
        const qsizetype finished = line.indexOf("] finished, ");
        if (sys < 0 || finished < 0)
            continue;
        const QByteArray cycles = line.mid(finished + 12);
        lines.emplace_back(line.mid(sys + 4, finished - sys - 4).toInt(), cycles.left(cycles.indexOf(' ')).toLongLong());
    }
    return lines;
}

inline bool writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(content) == content.size();
}

inline QByteArray traceBytes(const std::vector<EtNode>& nodes)
{
    return QByteArray::fromStdString(etBytes({"0.0.4", {}}, nodes));
}

/// A collective node; `type` as in the file (ALL_REDUCE 0, ALL_GATHER 2, ALL_TO_ALL 6, REDUCE_SCATTER 7).
inline EtNode collectiveNode(std::uint64_t id, std::int64_t type, std::int64_t bytes, std::vector<std::uint64_t> after = {})
{
    EtNode node;
    node.id = id;
    node.name = "coll" + std::to_string(id);
    node.type = static_cast<std::int32_t>(EtNodeType::Collective);
    node.dataDeps = std::move(after);
    node.attributes = {EtAttribute::boolean("is_cpu_op", false), EtAttribute::integer("comm_type", type), EtAttribute::integer("comm_size", bytes)};
    return node;
}

/// A compute node under roofline.
inline EtNode computeNode(std::uint64_t id, std::int64_t operations, std::int64_t bytes, std::vector<std::uint64_t> after = {})
{
    EtNode node;
    node.id = id;
    node.name = "comp" + std::to_string(id);
    node.type = static_cast<std::int32_t>(EtNodeType::Comp);
    node.dataDeps = std::move(after);
    node.attributes = {EtAttribute::boolean("is_cpu_op", false), EtAttribute::integer("num_ops", operations), EtAttribute::integer("tensor_size", bytes)};
    return node;
}

/// SEND or RECV between two ranks.
inline EtNode messageNode(std::uint64_t id, bool send, std::int64_t source, std::int64_t target, std::int64_t bytes, std::int64_t tag = 0)
{
    EtNode node;
    node.id = id;
    node.name = send ? "send" : "recv";
    node.type = static_cast<std::int32_t>(send ? EtNodeType::Send : EtNodeType::Receive);
    node.attributes = {EtAttribute::boolean("is_cpu_op", false), EtAttribute::integer("comm_src", source), EtAttribute::integer("comm_dst", target),
                       EtAttribute::integer("comm_size", bytes), EtAttribute::integer("comm_tag", tag)};
    return node;
}

} // namespace fabricscope::test
