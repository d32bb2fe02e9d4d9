import KioskAPI
import PrintModel
import Terminal

/// What people are told of a printer that was found.
enum DiscoveryText {
    static func details(_ printer: DiscoveredPrinter, _ style: Style = .current) -> String {
        var details = Details(printer.makeAndModel)
        details.add("url", printer.url.description)
        details.add("port", printer.port)
        details.add("job types", printer.jobTypes?.keywords.joined(separator: ", ") ?? "unknown")
        details.add("speaks", printer.hasIPPOverUSB ? "IPP over USB" : nil)
        details.add("state", state(printer), color(printer))
        for warning in printer.warnings { details.add("warning", warning, .yellow) }
        if printer.savedAs == nil { details.add("add it", command(printer)) }
        return details.text(style)
    }

    static func state(_ printer: DiscoveredPrinter) -> String {
        let saved = printer.savedAs.map { "saved as \($0)" }
        let others: String? =
            switch printer.owner {
            case .nobody: nil
            case .daemon: saved == nil ? "open in kioskd" : nil
            case .kernelDriver: "the kernel's driver \(printer.driver ?? "usblp") has it, and gives way"
            case .program: "another program has it open; end that first"
            }
        let rights = printer.isAccessible ? nil : "kioskd may not open it"
        let words = [saved, others, rights].compactMap(\.self)
        return words.isEmpty ? "free" : words.joined(separator: "; ")
    }

    private static func color(_ printer: DiscoveredPrinter) -> Style.Color {
        !printer.isAccessible || printer.owner == .program ? .red : .green
    }

    /// Quoted for a shell: the URL comes from the printer.
    static func command(_ printer: DiscoveredPrinter) -> String {
        let url = printer.url.description.split(separator: "'", omittingEmptySubsequences: false).joined(
            separator: #"'\''"#)
        return "kioskctl printers add \(printer.suggestedID) '\(url)'"
    }
}
