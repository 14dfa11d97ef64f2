#pragma once

#include "core/platform/fabric/samples.h"

#include <QWidget>

#include <vector>

class QListWidget;
class QPushButton;
class QToolButton;

namespace fabricscope {

/// A sample that is being dragged: what QMimeData carries its name as.
constexpr const char* kSampleMime = "application/x-fabricscope-sample";

/// Fabrics and hosts that are known, drawn small, with where they are from. A double click, Return or a drag to the page puts one into the design; it can also start a
/// design of its own.
class GalleryView : public QWidget
{
    Q_OBJECT
public:
    explicit GalleryView(QWidget* parent = nullptr);

    /// Of what is on show: "Fabrics" or "Hosts".
    bool showsHosts() const { return m_hosts; }
    void setShowsHosts(bool hosts);
    QListWidget* list() const { return m_list; }
    /// "1,024 NPUs, 176 switches"; of a preset its shape.
    static QString figuresOf(const FabricSample& sample);

signals:
    /// A row is to become part of the design.
    void useRequested(const QString& name);
    /// A row is to be the fabric of a new design.
    void newRequested(const QString& name);

private:
    void fill();
    void take(bool fresh);

    bool m_hosts = false;
    QListWidget* m_list;
    std::vector<QToolButton*> m_kinds; ///< Fabrics, hosts.
    QPushButton* m_use;
    QPushButton* m_new;
};

} // namespace fabricscope
