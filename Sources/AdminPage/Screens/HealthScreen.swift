package import KioskPrintModel

/// `/health`: what monitoring sees, for people.
package struct HealthScreen: Sendable {
    /// The report.
    package var report: HealthReport
    /// The names of the saved printers, for links from what concerns them.
    package var printers: [PrinterID: String]

    /// Creates the screen.
    package init(report: HealthReport, printers: [PrinterID: String]) {
        self.report = report
        self.printers = printers
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        let say = texts("health.say", ["status": texts.member(report.status.rawValue, of: "health") ?? ""])
        return PageScreen(
            title: texts("health.title"),
            content: """
                <div id="health" class="stack" data-live>
                <section class="card" id="health-summary" data-say="\(say)"><div class="head"><h2>\(texts("health.now"))</h2>\(report.status.badge(texts))</div>
                <dl class="facts">\(facts(texts))</dl></section>
                \(report.checks.isEmpty ? "<p class=\"card empty\">\(Icon.ready.html) \(texts("health.fine"))</p>" : "<ul class=\"stack\">\(ordered.html { card($0, texts) })</ul>")
                </div>
                """,
            events: ["printer", "registry", "job-c"])
    }

    /// The gravest first.
    private var ordered: [HealthReport.Check] {
        let weights: [HealthReport.Status: Int] = [.critical: 0, .warning: 1, .unknown: 2, .ok: 3]
        return report.checks.enumerated().sorted {
            (weights[$0.element.status] ?? 4, $0.offset) < (weights[$1.element.status] ?? 4, $1.offset)
        }
        .map(\.element)
    }

    private func facts(_ texts: Texts) -> HTML {
        var facts: [(name: Texts.Key, value: String)] = [
            (
                "health.printers",
                texts(
                    "printers.summary",
                    ["available": "\(report.printersAvailable)", "saved": "\(report.printersSaved)"])
            ),
            ("health.waiting", texts("printers.jobs", count: report.jobsWaiting)),
            ("health.unconfirmed", texts("printers.jobs", count: report.jobsUnconfirmed)),
        ]
        if let lost = report.jobsLost { facts.append(("health.lost", texts("printers.jobs", count: lost))) }
        if let age = report.oldestWaitingSeconds {
            facts.append(("health.oldest", time(age, texts)))
        }
        return facts.html { "<dt>\(texts($0.name))</dt><dd>\($0.value)</dd>\n" }
    }

    private func time(_ seconds: Int, _ texts: Texts) -> String {
        switch seconds {
        case ..<120: texts("health.seconds", count: seconds)
        case ..<7200: texts("health.minutes", count: seconds / 60)
        default: texts("health.hours", count: seconds / 3600)
        }
    }

    private func card(_ check: HealthReport.Check, _ texts: Texts) -> HTML {
        let title = texts.member(check.code, of: "check") ?? check.code
        return """
            <li class="card"><div class="head"><h2>\(title)</h2>\(check.status.badge(texts))</div>
            \(check.subject.map { "<p>\(subject($0, check, texts))</p>" })
            <p><bdi>\(check.message)</bdi></p>\(texts.member(check.code, of: "check-advice").map { "<p class=\"soft\">\($0)</p>" })</li>

            """
    }

    private func subject(_ subject: String, _ check: HealthReport.Check, _ texts: Texts) -> HTML {
        if let id = PrinterID(rawValue: subject), let name = printers[id] {
            return "<a class=\"tag\" href=\"/printers/\(id)\">\(Icon.printer.html)<bdi>\(name)</bdi></a>"
        }
        if check.code.hasPrefix("job-"), let id = Job.ID(subject) {
            return "<a class=\"tag\" href=\"/jobs/\(id)\">\(Icon.queue.html)\(texts("job.number", ["id": "\(id)"]))</a>"
        }
        if let role = RoleName(rawValue: subject), check.code.hasPrefix("role-") {
            return "<a class=\"tag\" href=\"/roles\">\(Icon.role.html)\(role)</a>"
        }
        return "<span class=\"tag\"><bdi>\(subject)</bdi></span>"
    }
}

extension HealthReport.Status {
    /// The status as a picture and a word.
    fileprivate func badge(_ texts: Texts) -> HTML {
        let (tone, icon): (HTML, Icon) =
            switch self {
            case .ok: ("good", .ready)
            case .warning: ("warn", .attention)
            case .critical: ("bad", .stopped)
            case .unknown: ("none", .unknown)
            }
        return "<span class=\"badge \(tone)\">\(icon.html)\(texts.member(rawValue, of: "health") ?? rawValue)</span>"
    }
}
