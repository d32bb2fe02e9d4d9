/// The events of one paper, bounded in number and length.
struct EventLog {
    private static let mostEvents = 100_000
    private static let longestText = 4096
    private static let longestRun = 64

    private(set) var events: [PaperEvent] = []
    private var text = String.UnicodeScalarView()
    private var textLength = 0
    private var textOffset = 0
    private var isFull: Bool { events.count >= Self.mostEvents }

    /// Text joins the text before it, up to a bound.
    mutating func add(text scalar: Unicode.Scalar, at offset: Int) {
        if textLength == 0 { textOffset = offset }
        text.append(scalar)
        textLength += 1
        if textLength >= Self.longestText { endText() }
    }

    mutating func add(_ event: PaperEvent) {
        endText()
        guard !isFull else { return }
        events.append(event)
        if isFull {
            events.append(
                PaperEvent(
                    offset: event.offset, kind: .command(name: "…", parameters: "", meaning: "too much to list"),
                    isFault: true))
        }
    }

    /// Bytes that mean nothing, side by side, are one event.
    mutating func add(unknown bytes: some Collection<UInt8>, at offset: Int) {
        endText()
        if let last = events.last, case .unknown(let before) = last.kind, before.count < Self.longestRun,
            last.offset + before.count == offset, !isFull
        {
            events[events.count - 1].kind = .unknown(before + bytes)
        } else {
            add(PaperEvent(offset: offset, kind: .unknown(Array(bytes)), isFault: true))
        }
    }

    mutating func endText() {
        guard textLength > 0 else { return }
        let whole = String(text)
        text = String.UnicodeScalarView()
        textLength = 0
        add(PaperEvent(offset: textOffset, kind: .text(whole)))
    }
}
