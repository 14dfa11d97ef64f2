#pragma once

#include <QPaintDevice>
#include <QPaintEngine>
#include <QString>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace fabricscope::test {

/// One run of text as it was painted.
struct WrittenText {
    QString text;
    QPointF at;       ///< On the base line, in units of the painter.
    double width = 0;
    double points = 0; ///< Pixels of its font, as they were asked for.
};

/// A paint device that keeps texts and nothing else: what a reader of the page finds on it.
class WrittenPage : public QPaintDevice
{
public:
    explicit WrittenPage(QSize size) : m_size(size), m_engine(m_texts) {}

    QPaintEngine* paintEngine() const override { return &m_engine; }
    const std::vector<WrittenText>& texts() const { return m_texts; }

    /// Lines of the page from top to bottom: texts on one base line, those that touch joined, others parted by two blanks.
    std::vector<QString> lines() const
    {
        std::vector<WrittenText> sorted = m_texts;
        const auto isAbove = [](const WrittenText& a, const WrittenText& b) { return a.at.y() < b.at.y(); };
        std::stable_sort(sorted.begin(), sorted.end(), isAbove);
        // Base lines of one line differ by fonts; they are made equal first, since "nearly equal" is no order to sort by.
        double line = 0;
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            if (i == 0 || std::abs(sorted[i].at.y() - line) > kSameLine)
                line = sorted[i].at.y();
            sorted[i].at.setY(line);
        }
        std::stable_sort(sorted.begin(), sorted.end(), [&isAbove](const WrittenText& a, const WrittenText& b) {
            return isAbove(a, b) || (!isAbove(b, a) && a.at.x() < b.at.x());
        });
        std::vector<QString> out;
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const bool isNewLine = i == 0 || isAbove(sorted[i - 1], sorted[i]);
            if (isNewLine)
                out.emplace_back();
            else if (sorted[i].at.x() - (sorted[i - 1].at.x() + sorted[i - 1].width) > kTouches)
                out.back() += QStringLiteral("  ");
            out.back() += sorted[i].text;
        }
        return out;
    }

protected:
    int metric(PaintDeviceMetric metric) const override
    {
        switch (metric) {
        case PdmWidth: return m_size.width();
        case PdmHeight: return m_size.height();
        case PdmDpiX:
        case PdmDpiY:
        case PdmPhysicalDpiX:
        case PdmPhysicalDpiY: return 720;
        case PdmDevicePixelRatio: return 1;
        case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
        case PdmDepth: return 32;
        case PdmNumColors: return 1 << 24;
        default: return 100;
        }
    }

private:
    static constexpr double kSameLine = 2;
    static constexpr double kTouches = 6;

    class Engine : public QPaintEngine
    {
    public:
        explicit Engine(std::vector<WrittenText>& texts) : QPaintEngine(AllFeatures), m_texts(texts) {}
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        void updateState(const QPaintEngineState&) override {}
        void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
        void drawPath(const QPainterPath&) override {}
        void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
        Type type() const override { return User; }
        void drawTextItem(const QPointF& at, const QTextItem& item) override
        {
            m_texts.push_back({item.text(), painter()->combinedTransform().map(at), item.width() * painter()->combinedTransform().m11(), item.font().pixelSize() * painter()->combinedTransform().m11()});
        }

    private:
        std::vector<WrittenText>& m_texts;
    };

    QSize m_size;
    std::vector<WrittenText> m_texts;
    mutable Engine m_engine;
};

} // namespace fabricscope::test
