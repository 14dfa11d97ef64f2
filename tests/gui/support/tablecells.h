#pragma once

#include "tests/gui/support/pictures.h"
#include "tests/gui/support/runresults.h"
#include "widgets/base/backgroundthreads.h"
#include "widgets/base/texts.h"
#include "widgets/results/boundstable.h"
#include "widgets/results/collectivetable.h"
#include "widgets/results/collectivetimes.h"
#include "widgets/results/linktable.h"
#include "widgets/results/logmodel.h"
#include "widgets/results/ranktable.h"
#include "widgets/results/selectiondetails.h"
#include "widgets/results/table.h"
#include "widgets/results/words.h"

#include <QtTest>
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

#include <numeric>
#include <thread>

namespace fabricscope::test {

/// Cells of tables, and a result of many ranks.
inline QString cell(const QAbstractItemModel& model, int row, int column, int role = Qt::DisplayRole)
{
    return model.index(row, column).data(role).toString();
}

inline int columnNamed(const QAbstractItemModel& model, const QString& begin)
{
    for (int column = 0; column < model.columnCount(); ++column)
        if (model.headerData(column, Qt::Horizontal).toString().startsWith(begin))
            return column;
    return -1;
}

/// 150,000 ranks in three classes: rank r finishes after 1 ms, every third after 2 ms, rank 77,777 after 3 ms.
inline RunResultPtr manyRanks()
{
    constexpr std::int32_t kRanks = 150'000;
    auto record = std::make_shared<RunRecord>();
    record->rankCount = kRanks;
    record->finish = SimTime{3'000'000'000};
    RankClass usual, third, late;
    for (std::int32_t rank = 0; rank < kRanks; ++rank)
        (rank == 77'777 ? late : rank % 3 == 0 ? third : usual).ranks.add(rank);
    usual.times.finish = SimTime{1'000'000'000};
    third.times.finish = SimTime{2'000'000'000};
    late.times.finish = SimTime{3'000'000'000};
    third.times.exposedComm = SimTime{500'000'000};
    record->classes = {third, usual, late};
    auto workload = std::make_shared<Workload>();
    workload->rankCount = kRanks;
    workload->families.push_back(GroupFamily::world(kRanks));
    workload->graphs.push_back(std::make_shared<RankGraph>());
    PlatformSpec spec;
    spec.dimensions = {testDimension(Shape::Switch, kRanks, 50)};
    return resultOf({record, workload}, spec);
}

} // namespace fabricscope::test
