#pragma once

#include <QtTest>

#include <QDir>
#include <QImage>
#include <QSet>
#include <QTemporaryDir>

namespace fabricscope::test {

/// Where a test saves pictures of what it draws: the folder FABRICSCOPE_PICTURES names, to be looked at, else one that goes away.
/// At its end every picture must be one that shows something.
class Pictures {
public:
    Pictures() : m_folder(qEnvironmentVariable("FABRICSCOPE_PICTURES", m_own.path())), m_started(QDateTime::currentDateTime()) { QDir().mkpath(m_folder); }
    Pictures(const Pictures&) = delete;
    Pictures& operator=(const Pictures&) = delete;
    ~Pictures()
    {
        int seen = 0;
        for (const QFileInfo& file : QDir(m_folder).entryInfoList({QStringLiteral("*.png")}, QDir::Files)) {
            if (m_own.path() != m_folder && file.lastModified() < m_started)
                continue; // Of an earlier test.
            ++seen;
            const QImage image(file.filePath());
            QSet<QRgb> colours;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); x += 3)
                    colours.insert(image.pixel(x, y));
            QTest::qVerify(colours.size() >= 6, "the picture shows something", qPrintable(file.fileName()), __FILE__, __LINE__);
        }
        QTest::qVerify(seen > 0, "pictures were saved", "", __FILE__, __LINE__);
    }

    QString folder() const { return m_folder; }

private:
    QTemporaryDir m_own;
    QString m_folder;
    QDateTime m_started;
};

} // namespace fabricscope::test
