/// What a host answers about a queue, in its parts.
struct ContactAnswer: Hashable, Sendable {
    private var parts: [Part: [Substring]] = [:]

    enum Part: String, Hashable, Sendable, CaseIterable {
        case queue, attributes, choices, status

        /// The line before it.
        var mark: String { "kiosk-\(rawValue)" }
    }

    init(_ lines: [Substring]) {
        var part = Part.queue
        for line in lines {
            if let next = Part.allCases.first(where: { line == $0.mark }) {
                part = next
            } else {
                parts[part, default: []].append(line)
            }
        }
    }

    subscript(_ part: Part) -> [Substring] { parts[part] ?? [] }
}
