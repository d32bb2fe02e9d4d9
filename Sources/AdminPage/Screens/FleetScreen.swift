package import KioskAPIMessages
import KioskPrintModel

/// `/fleet`: the kiosk's part in its fleet: the way to the hub, the fleet's jobs, and the office's configuration.
package struct FleetScreen: Sendable {
    /// What the kiosk knows of it.
    package var fleet: FleetInformation

    /// Creates the screen.
    package init(fleet: FleetInformation) { self.fleet = fleet }

    /// How often the screen is read again: nobody tells an event of the hub.
    private static let refreshSeconds = 5

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("fleet.title"),
            content: """
                <div id="fleet" class="stack" data-live>
                \(connection(texts))
                \(findings(texts))
                \(jobs(texts))
                \(configuration(texts))
                </div>
                """,
            events: ["job", "registry"], refreshSeconds: Self.refreshSeconds)
    }

    private func list(_ facts: [(name: String, value: HTML)]) -> HTML {
        "<dl class=\"facts\">\(facts.html { "<dt>\($0.name)</dt><dd>\($0.value)</dd>\n" })</dl>"
    }

    // MARK: The hub

    private func connection(_ texts: Texts) -> HTML {
        let connection = fleet.connection
        let state = texts(connection.isConnected ? "fleet.connected" : "fleet.disconnected")
        let badge: HTML = connection.isConnected ? "badge good" : "badge warn"
        var facts: [(name: String, value: HTML)] = [
            (texts("fleet.site"), "<bdi>\(fleet.site)</bdi>"),
            (texts("fleet.node"), "<bdi>\(fleet.node)</bdi>"),
            (texts("fleet.servers"), fleet.servers.html { "<div><code>\($0)</code></div>" }),
            (
                texts(connection.isConnected ? "fleet.since" : "fleet.gone"), connection.since.html(ago: true)
            ),
            (
                texts("fleet.reached"),
                connection.lastReachedAt?.html(ago: true) ?? HTML(escaping: texts("fleet.never"))
            ),
        ]
        if let end = fleet.loginEndsAt { facts.append((texts("fleet.login"), end.html())) }
        if let pair = fleet.pair { facts.append((texts("fleet.pair"), holder(pair, texts))) }
        return """
            <section class="card" id="fleet-connection" data-say="\(texts("fleet.say", ["state": state]))">
            <div class="head"><h2>\(texts("fleet.hub"))</h2>\
            <span class="\(badge)">\(connection.isConnected ? Icon.ready.html : Icon.unreachable.html)\(state)</span></div>
            \(connection.isConnected ? .empty : HTML("<p>\(texts("fleet.local"))</p>"))
            \(connection.problem.map { "<div class=\"reason warn\"><strong>\(texts("fleet.problem"))</strong><bdi>\($0)</bdi></div>" } as HTML?)
            \(list(facts))</section>
            """
    }

    private func holder(_ pair: FleetInformation.Pair, _ texts: Texts) -> HTML {
        if pair.takesJobs { return HTML(escaping: texts("fleet.pair.own")) }
        // A lease in its own name is left over from before it was started.
        guard let holder = pair.holder, holder != fleet.node else { return HTML(escaping: texts("fleet.pair.unknown")) }
        return texts.html("fleet.pair.other", ["node": "<bdi>\(holder)</bdi>"])
    }

    private func findings(_ texts: Texts) -> HTML {
        guard !fleet.checks.isEmpty else { return .empty }
        return """
            <section class="card" id="fleet-health"><h2><a href="/health">\(texts("health.title"))</a></h2>
            <ul class="reasons">\(fleet.checks.html { check in
                "<li class=\"reason \(check.status == .critical ? "bad" : "warn")\"><strong>\(texts.member(check.code, of: "check") ?? check.code)</strong><bdi>\(check.message)</bdi></li>\n"
            })</ul></section>
            """
    }

    // MARK: Jobs

    private func jobs(_ texts: Texts) -> HTML {
        """
        <section class="card" id="fleet-jobs"><h2>\(texts("fleet.jobs"))</h2>
        \(records(texts))</section>
        \(fleet.jobs.isEmpty ? .empty : table(texts))
        """
    }

    private func records(_ texts: Texts) -> HTML {
        guard let reports = fleet.reports else { return "<p>\(texts("fleet.unreadable"))</p>" }
        let isAll = reports.waiting < FleetInformation.Reports.maximumWaiting
        var facts: [(name: String, value: HTML)] = [
            (
                texts("fleet.taken"),
                fleet.takenUpTo?.html(ago: true) ?? HTML(escaping: texts("fleet.never"))
            ),
            (
                texts("fleet.reports"),
                isAll ? "\(reports.waiting)" : HTML(escaping: texts("fleet.more", ["count": "\(reports.waiting)"]))
            ),
        ]
        if let oldest = reports.oldest { facts.append((texts("fleet.oldest"), oldest.html(ago: true))) }
        return list(facts)
    }

    private func table(_ texts: Texts) -> HTML {
        """
        <div class="card table"><table class="stacked"><caption class="unseen">\(texts("fleet.jobs"))</caption>
        <thead><tr><th scope="col">\(texts("fleet.key"))</th><th scope="col">\(texts("fleet.stage"))</th>\
        <th scope="col">\(texts("fleet.job"))</th><th scope="col">\(texts("fleet.stored"))</th></tr></thead>
        <tbody>\(fleet.jobs.html { row($0, texts) })</tbody></table></div>
        """
    }

    private func row(_ job: FleetInformation.TakenJob, _ texts: Texts) -> HTML {
        let link = job.job.map { HTML("<a href=\"/jobs/\($0)\">\(texts("job.number", ["id": "\($0)"]))</a>") }
        return """
            <tr id="taken-\(job.key)"><th scope="row"><code>\(job.key)</code></th>
            <td data-label="\(texts("fleet.stage"))">\(badge(job.stage, texts))</td>
            <td data-label="\(texts("fleet.job"))">\(link ?? "–")</td>
            <td data-label="\(texts("fleet.stored"))">\(job.storedAt.html(ago: true))</td></tr>

            """
    }

    private func badge(_ stage: String, _ texts: Texts) -> HTML {
        let (tone, icon): (HTML, Icon) =
            switch stage {
            case "claimed", "accepted": ("busy", .busy)
            case "unconfirmed": ("warn", .unknown)
            // How it ended, the job itself says.
            case "ended": ("none", .check)
            case "refused": ("bad", .stopped)
            default: ("none", .unknown)
            }
        return
            "<span class=\"badge \(tone)\">\(icon.html)\(texts.member(stage, of: "fleet.stage") ?? stage)</span>"
    }

    // MARK: Configuration

    private func configuration(_ texts: Texts) -> HTML {
        let configuration = fleet.configuration
        let mode = texts.member(configuration.mode, of: "fleet.mode") ?? configuration.mode
        return """
            <section class="card" id="fleet-configuration"><h2>\(texts("fleet.configuration"))</h2>
            <p>\(mode)</p>
            \(configuration.error.map { failure($0, configuration, texts) })
            \(configuration.hasDrift ? HTML("<div class=\"reason warn\">\(texts("fleet.drift"))</div>") : .empty)
            \(configuration.mode == "off" ? .empty : revisions(configuration, texts))</section>
            """
    }

    private func revisions(_ configuration: FleetInformation.Configuration, _ texts: Texts) -> HTML {
        func number(_ revision: UInt64?) -> HTML {
            revision.map { "\($0)" } ?? HTML(escaping: texts("fleet.revision.none"))
        }
        return list([
            (texts("fleet.desired"), number(configuration.desired)),
            (texts("fleet.applied"), number(configuration.applied)),
        ])
    }

    private func failure(
        _ failure: FleetInformation.Failure, _ configuration: FleetInformation.Configuration, _ texts: Texts
    ) -> HTML {
        let revision = configuration.desired.map { "\($0)" } ?? ""
        let place = ["line": "\(failure.line)", "column": "\(failure.column)"]
        return """
            <div class="reason warn"><strong>\(texts("fleet.refused", ["revision": revision]))</strong>\
            \(failure.line > 0 ? HTML("<p class=\"small\">\(texts("fleet.place", place))</p>") : .empty)\
            <bdi>\(failure.text)</bdi></div>
            """
    }
}
