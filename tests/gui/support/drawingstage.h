#pragma once

#include "tests/gui/support/named.h"
#include "widgets/design/document.h"
#include "widgets/draw/fabricworkspace.h"
#include "widgets/draw/graphcanvas.h"

#include <QMouseEvent>
#include <QtTest>

#include <cstddef>
#include <set>
#include <string>

namespace fabricscope::test {

/// A square of NPUs at 0, 96 with a switch above, remarks in between.
inline const std::string kSquare = "fabricscope: 1   # ours\n"
                            "platform:\n"
                            "  nodes:\n"
                            "    - {name: npu0, at: [0, 0]}     # left\n"
                            "    - {name: npu1, at: [96, 0]}\n"
                            "    - {name: npu2, at: [0, 96]}\n"
                            "    - {name: npu3, at: [96, 96]}\n"
                            "    - {name: switch0, kind: switch, at: [48, -128]}   # above\n"
                            "  links:\n"
                            "    - {between: [npu0, switch0], bandwidth: 50 GB/s, latency: 1 us}   # slow\n"
                            "    - {between: [npu1, switch0], bandwidth: 100 GB/s, latency: 1 us}\n"
                            "workload: {collective: all_reduce, size: 1 MiB}\n";

/// The workspace over a document, on show; the mouse and keys of its page.
struct Stage {
    DesignDocument document;
    DrawWorkspace draw;

    explicit Stage(const std::string& text = kSquare)
    {
        const Status status = document.setText(text, QStringLiteral("square.yaml"));
        Q_ASSERT(status);
        draw.setDocument(&document);
        QObject::connect(&document, &DesignDocument::changed, &draw, &DrawWorkspace::showDesign);
        draw.resize(1280, 760);
        draw.show();
        draw.activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(&draw));
        canvas().setFocus();
        canvas().fit();
    }
    GraphCanvas& canvas() { return *draw.canvas(); }
    GraphEditor& editor() { return *draw.editor(); }
    const GraphText& graph() { return editor().picture().graph(); }
    int edits() { return document.undoStack().count(); }
    QPoint at(std::size_t node) { return canvas().pixelOf(node).toPoint(); }
    QPoint port(std::size_t node, int number) { return canvas().portPixel(node, number).toPoint(); }
    QPoint pixel(double x, double y) { return QPointF(canvas().transform().map(PointF(x, y))).toPoint(); }
    std::set<std::size_t> selected() { return editor().nodes(); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(&canvas(), key, modifiers); }
    void move(QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier, Qt::MouseButtons buttons = Qt::LeftButton)
    {
        QMouseEvent event(QEvent::MouseMove, to, canvas().mapToGlobal(to), Qt::NoButton, buttons, modifiers);
        QCoreApplication::sendEvent(&canvas(), &event);
    }
    void click(QPoint pixel, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        move(pixel, modifiers, Qt::NoButton);
        QTest::mouseClick(&canvas(), Qt::LeftButton, modifiers, pixel);
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier, bool release = true)
    {
        move(from, modifiers, Qt::NoButton);
        QTest::mousePress(&canvas(), Qt::LeftButton, modifiers, from);
        move(from + (to - from) / 2, modifiers);
        move(to, modifiers);
        if (release)
            QTest::mouseRelease(&canvas(), Qt::LeftButton, modifiers, to);
    }
    /// Undo to the start gives the text there was; redo what there is.
    void checkUndo(const std::string& before)
    {
        const std::string now = document.text();
        const int index = document.undoStack().index();
        document.undoStack().setIndex(0);
        QCOMPARE(QString::fromStdString(document.text()), QString::fromStdString(before));
        document.undoStack().setIndex(index);
        QCOMPARE(QString::fromStdString(document.text()), QString::fromStdString(now));
    }
};

} // namespace fabricscope::test
