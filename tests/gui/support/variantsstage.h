#pragma once

#include "widgets/study/variantspage.h"

#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

namespace fabricscope::test {

inline const std::string kTestVersion = "test 1";

/// A ring sends 2 (n - 1) / n of the bytes over every link; nothing else takes time. With 16 NPUs the constraint does not hold.
inline constexpr const char* kSwitches = R"(fabricscope: 1
name: switches
study:
  base:
    platform: {dimensions: [{shape: switch, size: 4, bandwidth: 100 GB/s, latency: 0 ns}]}
    workload: {collective: all_reduce, size: 16 MiB}
    collectives: {default: {algorithm: ring, chunks: 1}}
  parameters:
    - {name: ranks, field: platform.dimensions.0.size, values: [2, 4, 8, 16]}
    - {name: rate, field: platform.dimensions.0.bandwidth, values: [50 GB/s, 100 GB/s]}
  constraints: ["npus <= 8"]
  objectives: [{minimise: step_time}, {maximise: npus}]
)";
inline constexpr std::size_t kDesigns = 8;
inline constexpr double kRanks[] = {2, 4, 8, 16};
inline constexpr double kRates[] = {50e9, 100e9};

/// Picoseconds of a design, by its number.
inline double closedForm(std::size_t number)
{
    const double ranks = kRanks[number / 2];
    return 2 * (ranks - 1) / ranks * 16 * 1048576 / kRates[number % 2] * 1e12;
}

inline bool isClose(double found, double expected)
{
    if (std::abs(found - expected) < 0.001 * expected)
        return true;
    qWarning("%.9g instead of %.9g", found, expected);
    return false;
}

/// A page of a study in a folder of its own.
class VariantsStage {
protected:
    void begin()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        makePage();
    }
    void makePage()
    {
        m_page = std::make_unique<VariantsPage>(kTestVersion);
        m_page->resize(1500, 950);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    }
    void write(const QString& name, const QByteArray& text)
    {
        QFile file(m_folder->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    /// Until it is read, and the time of a design is known.
    bool open()
    {
        const QSignalSpy opened(m_page->runner(), &VariantRunner::opened);
        m_page->openFile(m_folder->filePath(QStringLiteral("study.yaml")));
        return QTest::qWaitFor([&] { return opened.size() == 1 && m_page->runner()->isSettled(); }, 60'000);
    }
    bool openText(const QByteArray& text)
    {
        write(QStringLiteral("study.yaml"), text);
        return open();
    }
    bool runAll()
    {
        const QSignalSpy ended(m_page->runner(), &VariantRunner::ended);
        m_page->runButton()->click();
        return QTest::qWaitFor([&] { return ended.size() == 1; }, 60'000) && !ended.front().front().toBool() && m_page->runner()->isSettled();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<VariantsPage> m_page;
};

} // namespace fabricscope::test
