import KioskPrintModel

/// The media of a printer, as far as they can be true: a printer may state anything.
struct PaperStock: Hashable, Sendable {
    /// What is loaded; where the printer does not say, what it supports counts as loaded.
    let loaded: [Medium]
    let supported: [Medium]
    /// What it takes where a job names nothing.
    let standard: Medium?
    /// Whether the printer says what is loaded.
    let knowsLoaded: Bool

    /// More entries than any printer has.
    private static let maximumCount = 2_000

    init(_ support: PageSupport?) {
        let ready = Self.plausible(support?.ready ?? [])
        supported = Self.plausible(support?.supported ?? [])
        knowsLoaded = !ready.isEmpty
        loaded = ready.isEmpty ? supported : ready
        standard = support?.standard.flatMap { Self.plausible([$0]).first }
    }

    /// Whether the printer says nothing of its paper.
    var isUnknown: Bool { loaded.isEmpty && supported.isEmpty && standard == nil }

    /// All entries, what is loaded first.
    var all: [Medium] { loaded + (knowsLoaded ? supported : []) }

    /// The lengths to which a roll is cut: its own, or those of a supported roll of this width.
    func cutLengths(of roll: Medium) -> ClosedRange<Int> {
        let own = Self.lengths(of: roll)
        let listed = supported.first { other in
            other.isRoll && other.maximumHeight != nil && other.widths?.contains(roll.width) == true
        }
        return own ?? listed.flatMap { Self.lengths(of: $0) } ?? 1...MediaName.maximumLength
    }

    private static func lengths(of roll: Medium) -> ClosedRange<Int>? {
        roll.maximumHeight.map { max(1, roll.height)...$0 }
    }

    /// Entries whose numbers are sizes, with margins that leave something to print on.
    private static func plausible(_ media: [Medium]) -> [Medium] {
        let lengths = 1...MediaName.maximumLength
        return media.prefix(maximumCount).compactMap { medium in
            guard lengths.contains(medium.width),
                medium.isRoll && medium.height == 0 || lengths.contains(medium.height),
                (medium.width...MediaName.maximumLength).contains(medium.maximumWidth ?? medium.width),
                (max(1, medium.height)...MediaName.maximumLength).contains(
                    medium.maximumHeight ?? max(1, medium.height))
            else { return nil }
            var medium = medium
            if let margins = medium.margins, !isPlausible(margins, of: medium) { medium.margins = nil }
            return medium
        }
    }

    private static func isPlausible(_ margins: Medium.Margins, of medium: Medium) -> Bool {
        let lengths = 0...MediaName.maximumLength
        return [margins.top, margins.left, margins.bottom, margins.right].allSatisfy(lengths.contains)
            && margins.left + margins.right < medium.width
            && (medium.isRoll || margins.top + margins.bottom < medium.height)
    }
}
