#pragma once

#include <QObject>

namespace fabricscope {

/// What Ctrl+C copies from any table, list or tree of the program are cells of a spreadsheet (tabCell), whatever a name says: Qt would copy the text of
/// the current item as it is. With several columns it is the header and the selected rows, all where only one can be selected; else the current cell.
/// Views with the property kCopiesItself do it themselves.
class CellCopies : public QObject
{
    Q_OBJECT
public:
    static constexpr const char* kCopiesItself = "copiesItself";
    /// Once per program, however often called.
    static void install();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace fabricscope
