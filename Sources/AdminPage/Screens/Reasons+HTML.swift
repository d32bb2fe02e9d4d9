package import KioskPrintModel

extension Availability {
    /// Reasons that are shown even where the printer calls them a report: `ippeveprinter` says no more of an empty tray.
    private static let shownReports: Set = ["media-empty", "media-needed", "marker-supply-empty", "toner-empty"]

    /// Why the printer does not print, or soon will not, each with what to do; empty where there is nothing to say.
    package func reasonList(_ texts: Texts) -> HTML {
        let shown = reasons.filter {
            $0.severity != .report || state == .stopped || Self.shownReports.contains($0.keyword)
        }
        // A printer's own words repeat its reasons, in its own language; an error's words are the only ones there are.
        let isSaid =
            state == .ready || state == .busy || shown.contains { texts.member($0.keyword, of: "advice") != nil }
        let said = isSaid ? nil : message
        guard !shown.isEmpty || said != nil else { return .empty }
        return """
            <ul class="reasons">\(shown.html { $0.item(texts) })\
            \(said.map { "<li class=\"reason\(state.isBad ? " bad" : "")\"><bdi>\($0)</bdi></li>" })</ul>
            """
    }
}

extension Availability.State {
    fileprivate var isBad: Bool { self == .stopped || self == .unreachable }
}

extension StateReason {
    /// The reason in the reader's language; a keyword that has no text is shown with blanks for its hyphens.
    package func words(_ texts: Texts) -> String {
        if let text = texts.member(keyword, of: "reason") { return text }
        let plain = keyword.prefix(utf8Count: 80).replacing("-", with: " ")
        return plain.prefix(1).uppercased() + plain.dropFirst()
    }

    fileprivate func item(_ texts: Texts) -> HTML {
        let tone: HTML =
            switch severity {
            case .error: " bad"
            case .warning: " warn"
            case .report: ""
            }
        let advice = texts.member(keyword, of: "advice")
        return
            "<li class=\"reason\(tone)\"><strong>\(words(texts))</strong>\(advice.map { HTML(escaping: $0) })</li>"
    }
}
