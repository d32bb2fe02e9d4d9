package import KioskAPIMessages
package import KioskPrintModel

/// `/jobs`: the queue and the history, newest first.
package struct JobsScreen: Sendable {
    /// What is shown.
    package var filter: Filter
    /// The jobs of this page.
    package var jobs: [Job]
    /// The jobs that wait for a person's word, whatever the filter.
    package var undecided: [Job]
    /// The id for the next page; nil on the last one.
    package var next: Job.ID?
    /// The roles.
    package var roles: [RoleName]
    /// The printers, with their names.
    package var printers: [SavedPrinter]
    /// How the printers do that waiting jobs wait for, by job: none of them would take it now.
    package var obstacles: [Job.ID: [PrinterStatus]] = [:]

    /// Creates the screen.
    package init(
        filter: Filter, jobs: [Job], undecided: [Job], next: Job.ID?, roles: [RoleName], printers: [SavedPrinter]
    ) {
        self.filter = filter
        self.jobs = jobs
        self.undecided = undecided
        self.next = next
        self.roles = roles
        self.printers = printers
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("jobs.title"),
            content: """
                \(filterForm(texts))
                <div id="jobs" data-live class="stack">
                \(undecided.isEmpty || filter.before != nil ? .empty : decisions(texts))
                \(jobs.isEmpty ? empty(texts) : table(texts))
                </div>
                \(pages(texts))
                """, events: ["job", "registry"])
    }

    private var names: [PrinterID: String] {
        Dictionary(printers.map { ($0.id, $0.name ?? $0.id.rawValue) }) { first, _ in first }
    }

    // MARK: Filter

    private func filterForm(_ texts: Texts) -> HTML {
        let any = FormMarkup.Option("", texts("jobs.filter.all"))
        return """
            <form class="card filter" method="get" action="/jobs" role="search">
            <div class="fields filters">
            \(FormMarkup.select(
                "role", texts("jobs.role"), value: filter.role?.rawValue,
                [any] + roles.map { .init($0.rawValue, $0.rawValue) }))
            \(FormMarkup.select(
                "printer", texts("jobs.printer"), value: filter.printer?.rawValue,
                [any] + printers.map { .init($0.id.rawValue, $0.name ?? $0.id.rawValue) }))
            \(FormMarkup.select(
                "state", texts("jobs.state"), value: filter.state?.rawValue,
                [any] + Filter.State.allCases.map { .init($0.rawValue, texts.member($0.rawValue, of: "jobs.state") ?? "") }))
            \(FormMarkup.select(
                "since", texts("jobs.since"), value: filter.since?.rawValue,
                [any] + Filter.Since.allCases.map { .init($0.rawValue, texts.member($0.rawValue, of: "jobs.since") ?? "") }))
            \(FormMarkup.text("name", texts("jobs.name"), value: filter.name, type: "search"))
            <div class="row end"><button type="submit">\(texts("jobs.filter"))</button>\
            \(filter == Filter() ? .empty : HTML("<a class=\"button\" href=\"/jobs\">\(texts("jobs.filter.clear"))</a>"))</div>
            </div></form>
            """
    }

    // MARK: Rows

    private func empty(_ texts: Texts) -> HTML {
        filter == Filter()
            ? "<div class=\"card empty\"><h2>\(texts("jobs.none"))</h2><p>\(texts("jobs.none.hint"))</p></div>"
            : "<div class=\"card empty\"><h2>\(texts("jobs.nothing"))</h2><p>\(texts("jobs.nothing.hint"))</p></div>"
    }

    private func decisions(_ texts: Texts) -> HTML {
        """
        <section class="card decide" aria-labelledby="undecided">
        <h2 id="undecided">\(texts("jobs.undecided", count: undecided.count))</h2>
        <p class="soft">\(texts("job.decide.hint"))</p>
        <ul class="list">\(undecided.html { job in
            """
            <li class="reason warn" id="decide-\(job.id)"><div class="head"><p><a href="/jobs/\(job.id)">\
            \(texts("job.number", ["id": "\(job.id)"]))</a> <bdi>\(job.title(texts))</bdi> \(job.destination(names)) \
            \(job.createdAt.html(ago: true))</p>\(JobActions.decision(job, texts, back: filter.path))</div></li>
            """
        })</ul></section>
        """
    }

    private func table(_ texts: Texts) -> HTML {
        """
        \(cancelAll(texts))
        <div class="card table"><table class="stacked jobs">
        <caption class="unseen">\(texts("jobs.title"))</caption>
        <thead><tr><th scope="col">\(texts("jobs.job"))</th><th scope="col">\(texts("jobs.state"))</th>\
        <th scope="col">\(texts("jobs.to"))</th><th scope="col">\(texts("jobs.sent"))</th>\
        <th scope="col"><span class="unseen">\(texts("jobs.actions"))</span></th></tr></thead>
        <tbody>\(jobs.html { row($0, texts) })</tbody></table></div>
        """
    }

    private func row(_ job: Job, _ texts: Texts) -> HTML {
        let say = texts("jobs.say", ["id": "\(job.id)", "state": job.stateWord(texts)])
        return """
            <tr id="job-\(job.id)" data-say="\(say)">
            <th scope="row"><a href="/jobs/\(job.id)">\(texts("job.number", ["id": "\(job.id)"]))</a> \
            <bdi class="name">\(job.title(texts))</bdi></th>
            <td data-label="\(texts("jobs.state"))">\(job.badge(texts)) \(job.evidenceTag(texts))\(why(job))\(obstacle(job, texts))</td>
            <td data-label="\(texts("jobs.to"))">\(job.destination(names))</td>
            <td data-label="\(texts("jobs.sent"))">\(job.createdAt.html(ago: true))\(expiry(job, texts))</td>
            <td class="does">\(JobActions.row(job, texts, back: filter.path))</td>
            </tr>
            """
    }

    /// What a waiting job waits for: never only "waiting" while somebody could help it.
    private func obstacle(_ job: Job, _ texts: Texts) -> HTML {
        (obstacles[job.id] ?? []).html { status in
            let reasons = status.availability.reasons.filter { $0.severity == .error }.map { reason in
                texts.member(reason.keyword, of: "reason") ?? reason.keyword
            }
            let what = reasons.isEmpty ? status.availability.word(texts) : reasons.joined(separator: ", ")
            let name = status.printer.name ?? status.printer.id.rawValue
            return "<div class=\"soft small\">\(texts("jobs.waitsFor", ["printer": name, "reason": what]))</div>"
        }
    }

    private func why(_ job: Job) -> HTML {
        guard !job.state.isFinal || job.state == .aborted, let message = job.tellingMessage else { return .empty }
        return "<div class=\"soft small brief\" title=\"\(message)\">\(message)</div>"
    }

    private func expiry(_ job: Job, _ texts: Texts) -> HTML {
        guard job.state == .pending else { return .empty }
        return "<div class=\"soft small\">\(texts.html("jobs.expires", ["time": job.expiresAt.html(ago: true)]))</div>"
    }

    /// Where one role is shown and something of it waits.
    private func cancelAll(_ texts: Texts) -> HTML {
        guard let role = filter.role else { return .empty }
        let waiting = jobs.count { !$0.state.isFinal }
        guard waiting > 0 else { return .empty }
        return """
            <details class="card"><summary>\(texts("jobs.cancelAll", ["role": role.rawValue]))</summary>
            <p class="soft">\(texts("jobs.cancelAll.hint"))</p>
            \(FormMarkup.button(
                "/jobs/cancel", texts("jobs.cancelAll.do"), icon: .remove, style: "danger",
                [("role", role.rawValue), ("back", filter.path)]))
            </details>
            """
    }

    private func pages(_ texts: Texts) -> HTML {
        var following = filter
        following.before = next
        var first = filter
        first.before = nil
        return """
            <nav class="row pages" aria-label="\(texts("jobs.pages"))">
            \(filter.before == nil ? .empty : HTML("<a class=\"button\" href=\"\(first.path)\">\(texts("jobs.newest"))</a>"))
            \(next == nil ? .empty : HTML("<a class=\"button\" href=\"\(following.path)\">\(texts("jobs.older"))</a>"))
            </nav>
            """
    }
}

extension JobsScreen {
    /// What the queue shows. Whatever the address holds that means nothing is left out.
    package struct Filter: Hashable, Sendable {
        /// The role.
        package var role: RoleName?
        /// The printer.
        package var printer: PrinterID?
        /// A group of states.
        package var state: State?
        /// How far back.
        package var since: Since?
        /// A part of the name.
        package var name: String?
        /// The id below which the page begins.
        package var before: Job.ID?

        /// All jobs.
        package init() {}

        /// Reads an address.
        package init(_ items: QueryItems) {
            role = items["role"].flatMap { RoleName(rawValue: $0) }
            printer = items["printer"].flatMap { PrinterID(rawValue: $0) }
            state = items["state"].flatMap { State(rawValue: $0) }
            since = items["since"].flatMap { Since(rawValue: $0) }
            name = items["name"].flatMap { (1...APILimits.maximumName).contains($0.utf8.count) ? $0 : nil }
            before = items["before"].flatMap { Job.ID($0) }.flatMap { $0 > 0 ? $0 : nil }
        }

        /// The path that shows it.
        package var path: String {
            var items = QueryItems()
            items.add("role", role?.rawValue)
            items.add("printer", printer?.rawValue)
            items.add("state", state?.rawValue)
            items.add("since", since?.rawValue)
            items.add("name", name)
            items.add("before", before.map { "\($0)" })
            return "/jobs" + items.suffix
        }

        /// The groups of states that people look for.
        package enum State: String, CaseIterable, Sendable {
            /// Not final yet.
            case waiting
            /// Waits for a person.
            case held
            /// Printed, as far as that is known.
            case completed
            /// Failed, expired or unconfirmed.
            case aborted
            /// Canceled.
            case canceled

            /// The states of the group.
            package var states: Set<JobState> {
                switch self {
                case .waiting: [.pending, .processing, .processingStopped]
                case .held: [.pendingHeld]
                case .completed: [.completed]
                case .aborted: [.aborted]
                case .canceled: [.canceled]
                }
            }
        }

        /// How far back.
        package enum Since: String, CaseIterable, Sendable {
            /// The last hour, day, week.
            case hour, day, week

            /// Seconds.
            package var seconds: Int {
                switch self {
                case .hour: 3600
                case .day: 86_400
                case .week: 7 * 86_400
                }
            }
        }
    }
}

/// The buttons for a job.
enum JobActions {
    /// What can be done with it in a list.
    static func row(_ job: Job, _ texts: Texts, back: String) -> HTML {
        if job.needsDecision { return .empty }
        guard !job.state.isFinal else { return .empty }
        return FormMarkup.button(
            "/jobs/\(job.id)/cancel", texts("job.cancel"), style: "quiet", id: "cancel-\(job.id)", [("back", back)])
    }

    /// The word on an unconfirmed job.
    static func decision(_ job: Job, _ texts: Texts, back: String) -> HTML {
        """
        <div class="row">\(FormMarkup.button(
            "/jobs/\(job.id)/release", texts("job.decide.again"), icon: .printer, id: "again-\(job.id)", [("back", back)]))\
        \(FormMarkup.button(
            "/jobs/\(job.id)/confirm", texts("job.decide.out"), icon: .check, id: "out-\(job.id)", [("back", back)]))\
        \(FormMarkup.button(
            "/jobs/\(job.id)/cancel", texts("job.decide.drop"), style: "quiet", id: "drop-\(job.id)", [("back", back)]))</div>
        """
    }
}
