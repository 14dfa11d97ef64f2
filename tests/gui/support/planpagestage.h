#pragma once

#include "widgets/base/apptheme.h"
#include "widgets/design/document.h"
#include "widgets/workload/planpage.h"

#include <QtTest>

#include <memory>
#include <string>

namespace fabricscope::test {

/// The page of a plan over a document of its own, new for each function of a test.
class PlanPageStage {
protected:
    static constexpr int kSettleMs = 60'000;

    void setUp()
    {
        m_document = std::make_unique<DesignDocument>();
        m_page = std::make_unique<PlanPage>();
        m_page->resize(1500, 900);
        QObject::connect(m_document.get(), &DesignDocument::changed, m_page.get(), &PlanPage::showDesign);
    }
    void tearDown()
    {
        AppTheme::global().set(Theme());
        m_page.reset();
        m_document.reset();
    }
    /// On show, with all that is worked out.
    void open(const std::string& text)
    {
        QVERIFY(m_document->setText(text, QStringLiteral("plan.yaml")));
        m_page->setDocument(m_document.get());
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QTRY_VERIFY_WITH_TIMEOUT(m_page->isSettled(), kSettleMs);
    }

    std::unique_ptr<DesignDocument> m_document;
    std::unique_ptr<PlanPage> m_page;
};

} // namespace fabricscope::test
