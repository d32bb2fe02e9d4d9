import Glibc

/// Colours, or none: only on a terminal, and not against the person's wish (no-color.org).
package struct Style {
    package let isColored: Bool

    package init(isColored: Bool) { self.isColored = isColored }

    package enum Color: Int {
        case red = 31, green = 32, yellow = 33, gray = 90
    }

    package static let plain = Style(isColored: false)

    /// For standard output.
    package static let current = Style(
        isColored: Console.isOutputTerminal && (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
    )

    package func paint(_ text: String, _ color: Color?) -> String {
        guard isColored, let color, !text.isEmpty else { return text }
        return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
    }

    package func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
