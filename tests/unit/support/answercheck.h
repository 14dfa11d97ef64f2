#pragma once

#include "sourcedir.h"

#include <QProcess>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>

namespace fabricscope::test {

inline const QString kSchemaFile = QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/schema/answers.schema.json");
inline const QStringList kNoValidator{QStringLiteral("no validator")};

/// Lines of what is not as the schema says, of rows {"row", "definition", "answer", "refused"} (checkanswers.py); kNoValidator where Python's is not installed.
inline QStringList schemaProblems(const nlohmann::json& answers)
{
    QStringList problems = kNoValidator;
    // The first may be one of the user's own, without the packages of the system.
    for (const QString& python : {QStringLiteral("python3"), QStringLiteral("/usr/bin/python3")}) {
        QProcess process;
        process.start(python, {QStringLiteral(FABRICSCOPE_SOURCE_DIR "/tests/unit/cli/checkanswers.py"), kSchemaFile});
        process.write(QByteArray::fromStdString(answers.dump()));
        process.closeWriteChannel();
        if (process.waitForFinished(120'000) && process.exitCode() == 0)
            return QString::fromUtf8(process.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        const QString error = QString::fromUtf8(process.readAllStandardError());
        if (process.error() != QProcess::FailedToStart && !error.contains(QLatin1String("No module named")))
            problems = {error};
    }
    return problems;
}

} // namespace fabricscope::test
