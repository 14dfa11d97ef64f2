#pragma once

#include "widgets/design/document.h"
#include "widgets/design/quantityfield.h"

#include <QLabel>
#include <QPointer>
#include <QPushButton>

namespace fabricscope {

/// The selected NPU or link: its figures as fields that become overrides, Remove or Restore, Reset override.
class ElementEditor : public QWidget
{
    Q_OBJECT
public:
    explicit ElementEditor(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    void setLink(LinkId link);
    void setNpu(NodeId npu);
    void clear();
    LinkId link() const { return m_link; }
    NodeId npu() const { return m_npu; }

    QuantityField* bandwidthField() const { return m_fields[0]; } ///< Link.
    QuantityField* latencyField() const { return m_fields[1]; }   ///< Link.
    QuantityField* speedField() const { return m_fields[2]; }     ///< NPU; 1 is as given.

private:
    void setTheme(const Theme& theme);

    enum Field { Bandwidth, Latency, Speed, Peak, Memory, FieldCount };
    void update();
    void edited(int field, const Quantity& value);
    void tell(const Status& status);

    QPointer<DesignDocument> m_document;
    LinkId m_link = -1;
    NodeId m_npu = -1;
    QLabel* m_title;
    QLabel* m_message;
    QLabel* m_labels[FieldCount];
    QuantityField* m_fields[FieldCount];
    QPushButton* m_remove;
    QPushButton* m_reset;
};

} // namespace fabricscope
