#pragma once

#include <QList>
#include <QString>

#include <string>

namespace fabricscope {

/// A design that comes with the program.
struct ShippedDesign {
    QString id;       ///< "two-level-pod": name of its file without ending, or of its preset.
    QString title;
    QString detail;   ///< One line about it.
    std::string text; ///< Complete: runs as it is.
};

/// To start a design from: the five templates, in the order to show them.
const QList<ShippedDesign>& designTemplates();
/// The examples of the documentation, by title.
const QList<ShippedDesign>& exampleDesigns();
/// Text of an example by its id: "two-level-hgx"; empty: there is none. Does not read the others.
QString exampleText(const QString& id);
/// A case study that comes with the program, and the designs that its runs simulate or price, as they do: with the fields the run sets.
struct ShippedCase {
    QString id;       ///< "rail-clos", for the command case.
    QString title;
    QString question;
    QString answer;   ///< As the case was written.
    QList<ShippedDesign> designs;
};

/// By id.
const QList<ShippedCase>& shippedCases();
/// A design per preset machine with one all-reduce to begin with.
const QList<ShippedDesign>& presetDesigns();

} // namespace fabricscope
