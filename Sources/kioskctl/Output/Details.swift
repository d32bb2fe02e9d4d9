import Terminal

/// What is known of one thing, a line for each fact: `  make and model  ACME T-20`.
struct Details {
    private var title: String
    private var facts: [(label: String, value: String, color: Style.Color?)] = []

    init(_ title: String) { self.title = title }

    /// Facts that are not known are left out.
    mutating func add(_ label: String, _ value: String?, _ color: Style.Color? = nil) {
        guard let value, !value.isEmpty else { return }
        facts.append((label, value.shown, color))
    }

    func text(_ style: Style) -> String {
        let width = facts.reduce(0) { max($0, $1.label.displayWidth) }
        return style.bold(title.shown) + "\n"
            + facts.map { fact in
                let padding = String(repeating: " ", count: width - fact.label.displayWidth)
                return "  \(fact.label)\(padding)  \(style.paint(fact.value, fact.color))\n"
            }.joined()
    }
}
