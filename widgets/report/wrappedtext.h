#pragma once

#include <QFont>
#include <QString>
#include <QStringList>

namespace fabricscope {

/// Lines of a text no wider than `width`, for paper: broken at blanks; a word that is wider alone behind one of _ / - . , : = > and only where there is
/// none inside. Ends of lines in the text stay, blanks at their ends do not. Always at least one line. O(characters) of text that has short words.
QStringList wrappedLines(const QString& text, const QFont& font, double width);

/// The width the widest word needs so that it is not broken. Words of more than kBreakableWord characters count as their widest part between separators.
double widestWord(const QString& text, const QFont& font);

/// Characters; longer words are names of files and paths, which may break behind separators without harm.
constexpr int kBreakableWord = 36;

} // namespace fabricscope
