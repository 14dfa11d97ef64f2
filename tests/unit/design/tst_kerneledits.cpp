// Edits of compute.kernels: what the text is afterwards, to the byte, and what is refused.
#include "core/design/edits/kerneledits.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <functional>

using namespace fabricscope;

namespace {

using KernelEdit = std::function<Status(YamlDocument&)>;

constexpr const char* kHead = "fabricscope: 1\nname: x\n";

/// The text after an edit; what it was refused with.
QString kernelsAfter(const QByteArray& text, const KernelEdit& edit)
{
    Result<YamlDocument> yaml = YamlDocument::parse(kHead + text.toStdString());
    if (!yaml)
        qFatal("%s", yaml.error().text().c_str());
    const Status status = edit(yaml.value());
    return status ? QString::fromStdString(yaml.value().text()).mid(static_cast<qsizetype>(qstrlen(kHead))) : QString::fromStdString(status.error().text());
}

} // namespace

class KernelEditsTest : public QObject {
    Q_OBJECT

private slots:
    void editsAreSplices_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QString>("key"); // Empty: the machine; "-": off.
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* before, const char* key, const char* value, const char* after) { QTest::newRow(name) << QByteArray(before) << QString::fromLatin1(key) << QString::fromLatin1(value) << QString::fromLatin1(after); };
        row("a machine where nothing was", "", "", "h200", "compute: {kernels: h200}\n");
        row("a machine beside other keys", "compute:\n  memory: {follow: true}   # live\n", "", "h200", "compute:\n  memory: {follow: true}   # live\n  kernels: h200\n");
        row("another machine by its name", "compute: {kernels: h200}   # which\n", "", "a100-fsdp", "compute: {kernels: a100-fsdp}   # which\n");
        row("another machine among terms", "compute:\n  kernels:\n    machine: h200   # which\n    start: 3 us   # measured\n", "", "a100-fsdp", "compute:\n  kernels:\n    machine: a100-fsdp   # which\n    start: 3 us   # measured\n");
        row("another machine alone in a mapping", "compute:\n  kernels:\n    machine: h200   # which\n", "", "a100-fsdp", "compute:\n  kernels:\n    machine: a100-fsdp   # which\n");
        row("own terms where nothing was", "", "", "", "compute: {kernels: {}}\n");
        row("own terms without the machine", "compute: {kernels: {machine: h200, start: 3 us}}\n", "", "", "compute: {kernels: {start: 3 us}}\n");
        row("own terms of a machine by its name", "compute: {kernels: h200}\n", "", "", "compute: {kernels: {}}\n");
        row("own terms stay", "compute: {kernels: {start: 3 us}}\n", "", "", "compute: {kernels: {start: 3 us}}\n");
        row("off", "compute:\n  kernels: h200\n  memory: {follow: true}   # live\n", "-", "", "compute:\n  memory: {follow: true}   # live\n");
        row("off, alone", "compute: {kernels: h200}\nseed: 1   # last\n", "-", "", "seed: 1   # last\n");
        row("off, where it is", "seed: 1\n", "-", "", "seed: 1\n");
        row("a term of a machine by its name", "compute: {kernels: h200}   # which\n", "share", "0.7", "compute: {kernels: {machine: h200, share: 0.7}}   # which\n");
        row("a term changed", "compute:\n  kernels:\n    share: 0.5   # measured\n", "share", "0.7", "compute:\n  kernels:\n    share: 0.7   # measured\n");
        row("a term not said any more", "compute: {kernels: {machine: h200, share: 0.7}}\n", "share", "", "compute: {kernels: {machine: h200}}\n");
        row("the last term", "compute: {kernels: {share: 0.7}}\n", "share", "", "compute: {kernels: {}}\n");
        row("a term that was not said", "compute: {kernels: {share: 0.7}}\n", "traffic", "", "compute: {kernels: {share: 0.7}}\n");
    }
    void editsAreSplices()
    {
        QFETCH(const QByteArray, before);
        QFETCH(const QString, key);
        QFETCH(const QString, value);
        QFETCH(const QString, after);
        const QString found = kernelsAfter(before, [&](YamlDocument& yaml) {
            if (key == QStringLiteral("-"))
                return edits::dropKernels(yaml);
            return key.isEmpty() ? edits::setKernelMachine(yaml, value.toStdString()) : edits::setKernelTerm(yaml, key.toStdString(), value.toStdString());
        });
        QCOMPARE(found, after);
    }

    void whatCannotBeIsRefused_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* key, const char* value, const char* expected) { QTest::addRow("%s %s", key, value) << QByteArray(key) << QByteArray(value) << QString::fromLatin1(expected); };
        row("share", "1.5", "above 0, at most 1");
        row("attention_share", "0", "above 0, at most 1");
        row("start", "2 s", "at most 1 s");
        row("start", "5", "a time such as");
        row("traffic", "2000", "0.001 to 1000");
        row("units", "-1", "0");
        row("fp8_peak", "5 GB/s", "a compute rate such as");
        row("speed", "5", "unknown key");
    }
    /// With its place; what is wrong elsewhere in the section is not told here.
    void whatCannotBeIsRefused()
    {
        QFETCH(const QByteArray, key);
        QFETCH(const QByteArray, value);
        QFETCH(const QString, expected);
        const QString found = kernelsAfter("compute: {kernels: {memory_share: 7}}\n", [&](YamlDocument& yaml) { return edits::setKernelTerm(yaml, key.toStdString(), value.toStdString()); });
        QVERIFY2(found.contains(expected) && found.contains(QStringLiteral("compute.kernels.") + QString::fromLatin1(key)), qPrintable(found));
    }
};

FABRICSCOPE_TEST(KernelEditsTest)
#include "tst_kerneledits.moc"
