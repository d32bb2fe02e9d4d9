import PrintModel
import Terminal

/// What people are shown of a job's way.
enum TimelineText {
    static func table(_ timeline: JobTimeline, _ style: Style = .current) -> String {
        var table = Table([
            .init(heading: "TIME"), .init(heading: "STEP"), .init(heading: "PRINTER"), .init(heading: "EVIDENCE"),
            .init(heading: "WHAT"),
        ])
        for step in timeline.steps {
            table.add([
                .init(step.time.description), .init(name(step), color(step.kind)), .init(step.printer?.rawValue),
                .init(step.evidence?.rawValue), .init(what(step)),
            ])
        }
        guard let omitted = timeline.omitted else { return table.text(style) }
        return table.text(style)
            + "\(Quantities.count(omitted, "step", "steps")) in the middle of its life are no longer kept\n"
    }

    private static func name(_ step: JobStep) -> String {
        step.attempt.map { "\(step.kind.rawValue) (attempt \($0))" } ?? step.kind.rawValue
    }

    private static func what(_ step: JobStep) -> String? {
        switch (step.kind, step.job) {
        case (.accepted, let job?): "prints job \(job) again"
        case (.reprinted, let job?): "by job \(job)"
        default: step.message
        }
    }

    private static func color(_ kind: JobStep.Kind) -> Style.Color? {
        switch kind {
        case .completed: .green
        case .aborted, .held, .unconfirmed: .red
        case .stopped, .asking: .yellow
        case .canceled: .gray
        case .accepted, .sending, .taken, .resumed, .waiting, .released, .cancelRequested, .reprinted: nil
        }
    }
}
