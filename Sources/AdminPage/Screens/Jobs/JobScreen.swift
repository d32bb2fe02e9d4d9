import KioskAPIMessages
package import KioskPrintModel

/// `/jobs/{id}`: one job: its state, its timeline, a picture of its document, and what can be done with it.
package struct JobScreen: Sendable {
    /// The job as the reader may see it.
    package var job: Job
    /// Its steps.
    package var timeline: JobTimeline
    /// The printers, for a reprint.
    package var printers: [SavedPrinter]
    /// Whether its document is kept and has a picture.
    package var hasPreview: Bool
    /// Whether its document can be printed again.
    package var isReprintable: Bool

    /// Creates the screen.
    package init(
        job: Job, timeline: JobTimeline, printers: [SavedPrinter], hasPreview: Bool, isReprintable: Bool
    ) {
        self.job = job
        self.timeline = timeline
        self.printers = printers
        self.hasPreview = hasPreview
        self.isReprintable = isReprintable
    }

    /// The screen in a language.
    package func screen(_ texts: Texts) -> PageScreen {
        PageScreen(
            title: texts("job.title", ["id": "\(job.id)"]),
            actions: "<a class=\"button\" href=\"/jobs\">\(Icon.queue.html)\(texts("job.all"))</a>",
            content: """
                <div class="two">
                <div class="stack" id="job" data-live>
                \(state(texts))
                \(facts(texts))
                \(steps(texts))
                </div>
                <div class="stack">\(picture(texts))</div>
                </div>
                """, events: ["job"])
    }

    private var path: String { "/jobs/\(job.id)" }
    private var names: [PrinterID: String] {
        Dictionary(printers.map { ($0.id, $0.name ?? $0.id.rawValue) }) { first, _ in first }
    }

    private func state(_ texts: Texts) -> HTML {
        """
        <section class="card" id="state" data-say="\(texts("jobs.say", ["id": "\(job.id)", "state": job.stateWord(texts)]))">
        <div class="head"><h2><bdi>\(job.title(texts))</bdi></h2><p>\(job.badge(texts)) \(job.evidenceTag(texts))</p></div>
        \(job.tellingMessage.map { "<p>\($0)</p>" } as HTML?)
        \(job.evidence.flatMap { texts.member("\($0.rawValue).hint", of: "evidence") }.map { "<p class=\"soft\">\($0)</p>" } as HTML?)
        \(job.needsDecision ? decision(texts) : actions(texts))
        </section>
        """
    }

    private func decision(_ texts: Texts) -> HTML {
        """
        <div class="reason warn"><strong>\(texts("job.decide"))</strong><p>\(texts("job.decide.hint"))</p></div>
        \(JobActions.decision(job, texts, back: path))
        """
    }

    private func actions(_ texts: Texts) -> HTML {
        guard job.state.isFinal else {
            return FormMarkup.button(
                path + "/cancel", texts("job.cancel"), icon: .remove, style: "danger", id: "cancel", [("back", path)])
        }
        guard isReprintable else {
            return "<p class=\"soft small\">\(texts("job.notKept"))</p>"
        }
        let where_ = job.role.map { texts("job.reprint.role", ["role": $0.rawValue]) } ?? texts("job.reprint.same")
        return """
            <form class="row foot" method="post" action="\(path)/reprint">
            \(FormMarkup.select(
                "printer", texts("job.reprint.to"), value: "",
                [.init("", where_)] + printers.map { .init($0.id.rawValue, $0.name ?? $0.id.rawValue) }))
            <button class="main" type="submit">\(Icon.printer.html)\(texts("job.reprint"))</button></form>
            """
    }

    private func facts(_ texts: Texts) -> HTML {
        var rows: [(String, HTML)] = [
            (texts("jobs.to"), job.destination(names)),
            (texts("jobs.sent"), job.createdAt.html()),
        ]
        if job.state.isFinal {
            if let time = job.completedAt { rows.append((texts("job.ended"), time.html())) }
        } else {
            rows.append((texts("job.expires"), job.expiresAt.html(ago: true)))
        }
        if job.isWithheld != true {
            rows.append((texts("job.format"), "<code>\(job.format.mimeType)</code>"))
            rows.append((texts("job.size"), "\(texts("job.bytes", ["count": "\(job.documentLength)"]))"))
        }
        if let pages = job.pages { rows.append((texts("job.pages"), "\(pages)")) }
        if let user = job.user { rows.append((texts("job.user"), "<bdi>\(user)</bdi>")) }
        if job.attempts > 1 { rows.append((texts("job.attempts"), "\(job.attempts)")) }
        if let origin = job.origin {
            rows.append(
                (texts("job.origin"), "<a href=\"/jobs/\(origin)\">\(texts("job.number", ["id": "\(origin)"]))</a>"))
        }
        let settings = job.ticket.parameters
        if !settings.isEmpty {
            rows.append(
                (texts("job.ticket"), settings.html { "<span class=\"tag\">\($0.key)=\($0.value)</span> " }))
        }
        return """
            <section class="card"><h2>\(texts("job.facts"))</h2>
            <dl class="facts">\(rows.html { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" })</dl>
            \((job.remarks ?? []).isEmpty ? .empty : remarks(texts))</section>
            """
    }

    private func remarks(_ texts: Texts) -> HTML {
        "<h3>\(texts("job.remarks"))</h3><ul class=\"reasons\">\((job.remarks ?? []).html { "<li class=\"reason\">\($0)</li>" })</ul>"
    }

    private func steps(_ texts: Texts) -> HTML {
        """
        <section class="card"><h2>\(texts("job.timeline"))</h2>
        \(timeline.omitted.map { "<p class=\"soft small\">\(texts("job.omitted", ["count": "\($0)"]))</p>" } as HTML?)
        <ol class="steps">\(timeline.steps.html { step($0, texts) })</ol></section>
        """
    }

    private func step(_ step: JobStep, _ texts: Texts) -> HTML {
        let word = texts.member(step.kind.rawValue, of: "job.step") ?? step.kind.rawValue
        let evidence = step.evidence.flatMap { texts.member($0.rawValue, of: "evidence") }
        let place = step.printer.map { HTML("<bdi class=\"soft\">\(names[$0] ?? $0.rawValue)</bdi>") }
        let other = step.job.map {
            HTML("<a href=\"/jobs/\($0)\">\(texts("job.number", ["id": "\($0)"]))</a>")
        }
        return """
            <li><span class="when">\(step.time.html())</span> <span class="what"><strong>\(word)</strong> \(place) \
            \(evidence.map { "<span class=\"tag\">\($0)</span>" } as HTML?) \(other)\
            \(words(step).map { "<span class=\"soft small\">\($0)</span>" } as HTML?)</span></li>
            """
    }

    /// The step's message where it says more than a printer's keyword for an end that is shown anyway.
    private func words(_ step: JobStep) -> String? {
        step.kind == .completed && step.message?.contains(" ") == false ? nil : step.message
    }

    private func picture(_ texts: Texts) -> HTML {
        guard hasPreview else { return .empty }
        return """
            <section class="card"><h2>\(texts("job.preview"))</h2>
            <p class="paper"><img src="/v1/jobs/\(job.id)/preview" alt="\(texts("job.preview.alt", ["id": "\(job.id)"]))"></p>
            </section>
            """
    }
}
