#pragma once

#include "tests/gui/support/named.h"
#include "core/base/index.h"
#include "widgets/design/panel.h"

#include <QtTest>

#include <string>

namespace fabricscope::test {

/// A pod of 8 x 4 x 4 with one slow link, remarks and a question.
inline const std::string kPod = "# Two-tier pod\n"
                         "fabricscope: 1\n"
                         "name: Two-tier pod 8 x 4 x 4\n"
                         "notes: Is a 200 Gbit/s rail (25 GB/s) enough for four pods, and what does one degraded link cost?\n"
                         "platform:\n"
                         "  dimensions:\n"
                         "    - {shape: fully_connected, size: 8, npu_bandwidth: 450 GB/s, latency: 700 ns}   # NVLink\n"
                         "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n"
                         "    - {shape: switch, size: 4, bandwidth: 20 GB/s, latency: 2.5 us}   # rail\n"
                         "  npu: {peak: 989 TFLOP/s, memory: 80 GiB}\n"
                         "  overrides:\n"
                         "    links:\n"
                         "      - {link: d2 37>switch, bandwidth: 10 GB/s}\n"
                         "workload:\n"
                         "  groups: [{name: tensor, dimensions: [0]}, {name: data, dimensions: [1, 2]}]\n"
                         "  steps:\n"
                         "    - {compute: 100 us}\n"
                         "    - {collective: all_reduce, size: 32 MiB, group: tensor}\n"
                         "    - {collective: all_reduce, size: 48 MiB, group: data}\n"
                         "collectives: {default: {algorithm: standard, chunks: 4}}\n";

/// A design panel in a window of its own with its document.
struct Dock {
    DesignDocument document;
    DesignPanel panel;

    explicit Dock(const std::string& text = kPod, int width = 352)
    {
        const Status status = document.setText(text, QStringLiteral("pod.yaml"));
        Q_ASSERT(status);
        panel.setDocument(&document);
        panel.resize(width, 900);
        panel.show();
        panel.activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(&panel));
    }
    DimensionView& view() { return part<DimensionView>(panel); }
    QModelIndex cell(int row, int column) { return view().dimensions()->index(row, column); }
    QString shown(int row, int column) { return cell(row, column).data().toString(); }
    const Dimension& dimension(int number) { return document.design()->platform->dimensions[at(number)]; }
    QLineEdit* editor() { return view().viewport()->findChild<QLineEdit*>(); }
    /// A key that ends editing; a delegate takes the text over a moment later.
    void take(Qt::Key key)
    {
        QTest::keyClick(editor(), key);
        QCoreApplication::processEvents();
    }
    /// The way of the keyboard: Enter opens, typing replaces, Enter takes.
    void type(int row, int column, const char* text)
    {
        view().setFocus();
        view().setCurrentIndex(cell(row, column));
        QTest::keyClick(&view(), Qt::Key_Return);
        QVERIFY(editor());
        editor()->selectAll();
        QTest::keyClicks(editor(), QString::fromUtf8(text));
        take(Qt::Key_Return);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
};

/// Without the narrow spaces of numbers.
inline QString plain(QString text)
{
    return text.remove(QChar(0x202F));
}

} // namespace fabricscope::test
