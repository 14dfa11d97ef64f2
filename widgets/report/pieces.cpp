#include "widgets/report/pieces.h"

#include "widgets/base/showntexts.h"
#include "widgets/base/theme.h"
#include "widgets/report/drawingpainter.h"
#include "widgets/report/tablepieces.h"
#include "widgets/report/wrappedtext.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricscope {

namespace {

constexpr double kBase = 9;
constexpr double kCaption = 8;
/// Any space between letters switches ligatures off; this one is not seen: it is the least that fonts are placed by, a 640th of a point.
constexpr double kNoLigatures = 1.0 / 64;

QString text(const std::string& utf8)
{
    return texts::shownLines(utf8);
}

double heightOf(const QStringList& lines, const QFont& font)
{
    return static_cast<double>(lines.size()) * QFontMetricsF(font).lineSpacing();
}

double heightOf(const QString& words, const QFont& font, double width)
{
    return heightOf(wrappedLines(words, font, width), font);
}

void paintLines(QPainter& painter, const QStringList& lines, const QFont& font, Tone tone, QPointF at)
{
    painter.setFont(font);
    painter.setPen(reportColor(tone));
    const QFontMetricsF metrics(font);
    double base = at.y() + metrics.ascent();
    for (const QString& line : lines) {
        painter.drawText(QPointF(at.x(), base), line);
        base += metrics.lineSpacing();
    }
}

ReportPiece paragraph(const QString& words, const QFont& font, Tone tone, double width, double before, double indent = 0)
{
    const QStringList lines = wrappedLines(words, font, width - indent);
    return {before, heightOf(lines, font), false, nullptr, [=](QPainter& painter, QPointF at) { paintLines(painter, lines, font, tone, at + QPointF(indent, 0)); }, -1};
}

void addList(std::vector<ReportPiece>& pieces, const std::vector<std::string>& items, double width)
{
    for (const std::string& item : items) {
        ReportPiece piece = paragraph(text(item), reportFont(kBase), Tone::Text, width, 20, 110);
        piece.paint = [inner = piece.paint](QPainter& painter, QPointF at) {
            inner(painter, at);
            painter.drawText(QPointF(at.x() + 30, at.y() + QFontMetricsF(painter.font()).ascent()), QStringLiteral("\u2022"));
        };
        pieces.push_back(std::move(piece));
    }
}

class Blocks {
public:
    Blocks(std::vector<ReportPiece>& pieces, double width) : m_pieces(pieces), m_width(width) {}

    void operator()(const ReportText& block) { m_pieces.push_back(paragraph(text(block.text), reportFont(kBase), Tone::Text, m_width, 30)); }
    void operator()(const ReportList& block) { addList(m_pieces, block.items, m_width); }

    void operator()(const ReportTable& block)
    {
        addTable(m_pieces, block, m_width);
        if (!block.note.empty())
            m_pieces.push_back(paragraph(text(block.note), reportFont(kCaption), Tone::Text3, m_width, 40));
    }

    void operator()(const ReportFigure& block)
    {
        const double height = block.drawing.size.height() * m_width / block.drawing.size.width();
        const double scale = m_width / block.drawing.size.width();
        const double legend = block.legend.isEmpty() ? 0 : std::min(block.legend.size.width() * scale, m_width);
        const QString caption = QStringLiteral("Figure %1.").arg(block.number) + u' ' + text(block.caption);
        // The legend stands beside the caption, or below it when it is long.
        const bool beside = legend > 0 && legend < m_width * 0.4;
        const double room = beside ? m_width - legend - 150 : m_width;
        const QFont font = reportFont(kCaption);
        const QStringList lines = wrappedLines(caption, font, room);
        const double words = heightOf(lines, font);
        const double legendHeight = legend > 0 ? block.legend.size.height() * scale : 0;
        const double total = height + 50 + (beside ? std::max(words, legendHeight) : words + (legend > 0 ? legendHeight + 30 : 0));
        m_pieces.push_back({20, total, false, nullptr,
                            [=, width = m_width, figure = block](QPainter& painter, QPointF at) {
                                paintDrawing(painter, figure.drawing, QRectF(at, QSizeF(width, height)), font);
                                paintLines(painter, lines, font, Tone::Text2, at + QPointF(0, height + 40));
                                if (legend > 0)
                                    paintDrawing(painter, figure.legend, QRectF(beside ? at.x() + width - legend : at.x(), at.y() + height + (beside ? 40 : 60 + words), legend, legendHeight), font);
                            },
                            -1});
    }

    void operator()(const ReportCode& block)
    {
        QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setPixelSize(75);
        font.setHintingPreference(QFont::PreferNoHinting);
        font.setLetterSpacing(QFont::AbsoluteSpacing, kNoLigatures);
        const double width = m_width;
        QString words = text(block.text);
        while (words.endsWith(u'\n'))
            words.chop(1);
        double before = 30;
        for (const QString& line : words.split(u'\n')) {
            const QStringList lines = wrappedLines(line, font, width - 120);
            const double height = heightOf(lines, font);
            m_pieces.push_back({std::exchange(before, 0), height, false, nullptr,
                                [=](QPainter& painter, QPointF at) {
                                    painter.fillRect(QRectF(at, QSizeF(width, height + 2)), reportColor(Tone::Panel));
                                    paintLines(painter, lines, font, Tone::Text, at + QPointF(60, 0));
                                },
                                -1});
        }
    }

private:
    std::vector<ReportPiece>& m_pieces;
    double m_width;
};

std::vector<ReportPiece> sectionPieces(const ReportSection& section, int number, double width)
{
    std::vector<ReportPiece> pieces;
    ReportPiece heading = paragraph(QStringLiteral("%1\u2002%2").arg(number).arg(text(section.title)), reportFont(10.5, true), Tone::Text, width, 190);
    heading.height += 20;
    heading.withNext = true;
    heading.section = number - 1;
    pieces.push_back(std::move(heading));
    for (const ReportBlock& block : section.blocks)
        std::visit(Blocks(pieces, width), block);
    return pieces;
}

/// Half a page is enough for the section: its tables keep type that is read without effort.
bool fitsHalf(const ReportSection& section, double width)
{
    constexpr double kReadable = 7.25;
    return std::all_of(section.blocks.begin(), section.blocks.end(), [width](const ReportBlock& block) {
        const auto* table = std::get_if<ReportTable>(&block);
        return !table || typeSizeOf(*table, width) >= kReadable;
    });
}

double heightOf(const std::vector<ReportPiece>& pieces)
{
    double sum = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        sum += (i > 0 ? pieces[i].before : 0) + pieces[i].height;
    return sum;
}

void paintAll(QPainter& painter, const std::vector<ReportPiece>& pieces, QPointF at)
{
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        at.ry() += i > 0 ? pieces[i].before : 0;
        pieces[i].paint(painter, at);
        at.ry() += pieces[i].height;
    }
}

/// As strong as the answer, and before it.
void addNotice(std::vector<ReportPiece>& pieces, const ReportContent& content, double width)
{
    constexpr double kPad = 110;
    ReportPiece piece = paragraph(text(content.notice), reportFont(9.75, true), Tone::Text, width - 2 * kPad, 120);
    const double height = piece.height + 2 * 60;
    piece.height = height;
    piece.paint = [=, inner = piece.paint](QPainter& painter, QPointF corner) {
        painter.fillRect(QRectF(corner, QSizeF(width, height)), Theme(Theme::Mode::Light).color(Role::WarnBg));
        painter.fillRect(QRectF(corner, QSizeF(30, height)), Theme(Theme::Mode::Light).color(Role::Warn));
        inner(painter, corner + QPointF(kPad, 60));
    };
    pieces.push_back(std::move(piece));
}

void addAnswer(std::vector<ReportPiece>& pieces, const ReportContent& content, double width)
{
    // One text in two weights: laid out by words.
    constexpr double kPad = 110;
    const QFont plain = reportFont(9.75);
    const QFont strong = reportFont(9.75, true);
    struct Word {
        QString text;
        QPointF at;
        bool strong;
    };
    std::vector<Word> words;
    const double room = width - 2 * kPad;
    const double line = QFontMetricsF(strong).height() * 1.12;
    const double space = QFontMetricsF(plain).horizontalAdvance(u' ');
    QPointF at(0, QFontMetricsF(strong).ascent());
    const auto flow = [&](const std::string& part, const QFont& font, bool isStrong) {
        for (const QString& word : text(part).split(u' ', Qt::SkipEmptyParts)) {
            const double wide = QFontMetricsF(font).horizontalAdvance(word);
            if (at.x() > 0 && at.x() + wide > room)
                at = QPointF(0, at.y() + line);
            words.push_back({word, at, isStrong});
            at.rx() += wide + space;
        }
    };
    flow(content.lead(), strong, true);
    flow(content.answer, plain, false);
    const double height = at.y() + QFontMetricsF(strong).descent() + 2 * 80;
    pieces.push_back({120, height, false, nullptr,
                      [=](QPainter& painter, QPointF corner) {
                          painter.fillRect(QRectF(corner, QSizeF(width, height)), reportColor(Tone::Panel));
                          painter.fillRect(QRectF(corner, QSizeF(30, height)), reportColor(Tone::Accent));
                          painter.setPen(reportColor(Tone::Text));
                          for (const Word& word : words) {
                              painter.setFont(word.strong ? strong : plain);
                              painter.drawText(corner + QPointF(kPad, 80) + word.at, word.text);
                          }
                      },
                      -1});
    addList(pieces, content.waits, width);
}

void addKeyFigures(std::vector<ReportPiece>& pieces, const ReportContent& content, double whole)
{
    if (content.figures.empty())
        return;
    constexpr double kGap = 120;
    const auto count = static_cast<double>(content.figures.size());
    const double width = (whole - kGap * (count - 1)) / count;
    const QFont label = reportFont(8);
    const QFont value = reportFont(14, true);
    double detail = 0;
    for (const ReportKeyFigure& figure : content.figures)
        detail = std::max(detail, heightOf(text(figure.detail), label, width - 90));
    const double labelHeight = QFontMetricsF(label).height();
    const double valueHeight = QFontMetricsF(value).height();
    const double height = labelHeight + valueHeight + detail;
    pieces.push_back({120, height, false, nullptr,
                      [=, figures = content.figures](QPainter& painter, QPointF at) {
                          for (const ReportKeyFigure& figure : figures) {
                              painter.fillRect(QRectF(at, QSizeF(15, height)), reportColor(Tone::Line2));
                              painter.setFont(label);
                              painter.setPen(reportColor(Tone::Text2));
                              painter.drawText(QPointF(at.x() + 90, at.y() + QFontMetricsF(label).ascent()), text(figure.label));
                              paintLines(painter, wrappedLines(text(figure.detail), label, width - 90), label, Tone::Text2, at + QPointF(90, labelHeight + valueHeight));
                              painter.setFont(value);
                              painter.setPen(reportColor(Tone::Text));
                              painter.drawText(QPointF(at.x() + 90, at.y() + labelHeight + QFontMetricsF(value).ascent()), text(figure.value));
                              at.rx() += width + kGap;
                          }
                      },
                      -1});
}

void addShares(std::vector<ReportPiece>& pieces, const ReportContent& content, double whole)
{
    if (content.shares.empty())
        return;
    pieces.push_back({140, 130, true, nullptr,
                      [shares = content.shares, whole](QPainter& painter, QPointF at) {
                          std::int64_t total = 0;
                          for (const ReportShare& share : shares)
                              total += share.ps;
                          // In units of the drawings, ten to a point, so that hatches are as on the page for browsers.
                          Drawing bar;
                          bar.size = SizeF(720, 18.35);
                          std::int64_t before = 0;
                          for (const ReportShare& share : shares) {
                              const double left = static_cast<double>(before) / static_cast<double>(total) * 720;
                              before += share.ps;
                              const double right = static_cast<double>(before) / static_cast<double>(total) * 720;
                              addShare(bar, RectF(left, 0, std::max(right - left - 1, 0.5), 18.35), share);
                          }
                          paintDrawing(painter, bar, QRectF(at, QSizeF(whole, 130)), reportFont(kCaption));
                      },
                      -1});
    // Keys flow from left to right, as many rows as needed.
    const QFont plain = reportFont(8);
    const QFont strong = reportFont(8, true);
    const double line = QFontMetricsF(plain).height();
    double x = 0;
    double y = 0;
    std::vector<QPointF> places;
    for (const ReportShare& share : content.shares) {
        const double below = QFontMetricsF(strong).horizontalAdvance(text(share.value)) + 40 + QFontMetricsF(plain).horizontalAdvance(text(share.share));
        const double width = std::max(110 + QFontMetricsF(plain).horizontalAdvance(text(share.label)), below);
        if (x > 0 && x + width > whole) {
            x = 0;
            y += 2 * line + 50;
        }
        places.emplace_back(x, y);
        x += width + 220;
    }
    pieces.push_back({50, y + 2 * line, false, nullptr,
                      [=, shares = content.shares](QPainter& painter, QPointF at) {
                          for (std::size_t i = 0; i < shares.size(); ++i) {
                              const QPointF place = at + places[i];
                              Drawing key;
                              key.size = SizeF(11, 11);
                              addShare(key, RectF(0.5, 0.5, 10, 10), shares[i]);
                              paintDrawing(painter, key, QRectF(place.x(), place.y() + line * 0.15, 80, 80), plain);
                              painter.setFont(plain);
                              painter.setPen(reportColor(Tone::Text2));
                              painter.drawText(QPointF(place.x() + 110, place.y() + QFontMetricsF(plain).ascent()), text(shares[i].label));
                              painter.drawText(QPointF(place.x() + QFontMetricsF(strong).horizontalAdvance(text(shares[i].value)) + 40, place.y() + line + QFontMetricsF(plain).ascent()),
                                               text(shares[i].share));
                              painter.setFont(strong);
                              painter.setPen(reportColor(Tone::Text));
                              painter.drawText(QPointF(place.x(), place.y() + line + QFontMetricsF(plain).ascent()), text(shares[i].value));
                          }
                      },
                      -1});
}

/// Number, title, dots and page of every shown section.
void addContents(std::vector<ReportPiece>& pieces, const ReportContent& content, const SectionPages& pages, double width)
{
    const std::vector<const ReportSection*> shown = content.shownSections();
    if (shown.size() < 2)
        return;
    const QFont font = reportFont(kBase);
    ReportPiece heading = paragraph(QStringLiteral("Contents"), reportFont(10.5, true), Tone::Text, width, 190);
    heading.height += 20;
    heading.withNext = true;
    pieces.push_back(std::move(heading));
    const double line = QFontMetricsF(font).lineSpacing();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const QString title = QStringLiteral("%1\u2002%2").arg(i + 1).arg(text(shown[i]->title));
        pieces.push_back({12, line, i + 1 < shown.size(), nullptr,
                          [=](QPainter& painter, QPointF at) {
                              const QFontMetricsF metrics(font);
                              const QString page = QString::number((*pages)[i] + 1);
                              const double base = at.y() + metrics.ascent();
                              const double right = at.x() + width - metrics.horizontalAdvance(page);
                              painter.setFont(font);
                              painter.setPen(reportColor(Tone::Text));
                              painter.drawText(QPointF(at.x(), base), title);
                              painter.drawText(QPointF(right, base), page);
                              painter.setPen(QPen(reportColor(Tone::Outline), 7, Qt::DotLine));
                              painter.drawLine(QPointF(at.x() + metrics.horizontalAdvance(title) + 60, base), QPointF(right - 60, base));
                          },
                          -1, static_cast<int>(i)});
    }
}

} // namespace

double reportWidth(ReportPaper paper)
{
    return paperSize(paper).width() - 2 * kReportSide;
}

QColor reportColor(Tone tone)
{
    return QColor::fromRgb(DrawColor(tone).rgb(false));
}

QFont reportFont(double points, bool strong)
{
    QFont font = Theme(Theme::Mode::Light).font(TextStyle::Body);
    font.setPixelSize(static_cast<int>(std::lround(points * 10)));
    font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setLetterSpacing(QFont::AbsoluteSpacing, kNoLigatures);
    return font;
}

/// In English, as all that core says in it.
std::vector<ReportPiece> reportPieces(const ReportContent& content, const SectionPages& pages)
{
    std::vector<ReportPiece> pieces;
    const double width = reportWidth(content.paper);
    ReportPiece kind = paragraph(QStringLiteral("Fabricscope design report"), reportFont(8), Tone::Text2, width, 0);
    kind.paint = [inner = kind.paint, width](QPainter& painter, QPointF at) {
        inner(painter, at);
        painter.drawText(QRectF(at, QSizeF(width, 200)), Qt::AlignRight | Qt::AlignTop, QStringLiteral("Design review"));
    };
    pieces.push_back(std::move(kind));
    pieces.push_back(paragraph(text(content.title), reportFont(19, true), Tone::Text, width, 110));
    if (!content.question.empty())
        pieces.push_back(paragraph(text(content.question), reportFont(kBase + 0.75), Tone::Text2, width, 20));
    if (!content.notice.empty())
        addNotice(pieces, content, width);
    addAnswer(pieces, content, width);
    addKeyFigures(pieces, content, width);
    addShares(pieces, content, width);
    addContents(pieces, content, pages, width);

    const std::vector<const ReportSection*> shown = content.shownSections();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const double column = (width - 240) / 2;
        const int number = static_cast<int>(i) + 1;
        if (shown[i]->half && i + 1 < shown.size() && shown[i + 1]->half && fitsHalf(*shown[i], column) && fitsHalf(*shown[i + 1], column)) {
            const auto left = sectionPieces(*shown[i], number, column);
            const auto right = sectionPieces(*shown[i + 1], number + 1, column);
            const double height = std::max(heightOf(left), heightOf(right));
            if (height < paperSize(content.paper).height() * 0.4) {
                ReportPiece both{190, height, false, nullptr,
                                 [=](QPainter& painter, QPointF at) {
                                     paintAll(painter, left, at);
                                     paintAll(painter, right, at + QPointF(column + 240, 0));
                                 },
                                 number - 1};
                pieces.push_back(std::move(both));
                ++i;
                continue;
            }
        }
        for (ReportPiece& piece : sectionPieces(*shown[i], number, width))
            pieces.push_back(std::move(piece));
    }
    return pieces;
}

} // namespace fabricscope
