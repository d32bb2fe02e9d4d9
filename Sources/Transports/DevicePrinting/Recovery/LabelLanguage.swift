import PrintModel

/// A label printer's language, as far as it has a command that is certain to throw a half-received label away and
/// nothing else: neither labels that are printing, nor earlier jobs that wait in the printer.
package enum LabelLanguage: Hashable, Sendable {
    case zpl, epl, tspl

    /// Behind as many NULs as fill up what graphics expect: those are data there, and in lines of commands no command.
    var discard: [UInt8] {
        switch self {
        // "Cancels a format currently being sent to the printer. It does not affect any formats currently being
        // printed, or any subsequent formats that might be sent" (Zebra, "ZPL II Programming Guide", `~JX`). `~JA`
        // would cancel those as well.
        case .zpl: Array("\r\n~JX\r\n".utf8)
        // The line that was begun is ended, also within a text in quotes: a quote more would begin one where none was
        // open. "Clears the image buffer" (Zebra, "EPL2 Programmer's Manual", `N`).
        case .epl: Array("\r\nN\r\n".utf8)
        // The same (TSC, "TSPL/TSPL2 Programming", `CLS`). The immediate `ESC ! .` would cancel earlier jobs as well.
        case .tspl: Array("\r\nCLS\r\n".utf8)
        }
    }
}

extension DeviceID {
    /// Nil unless it is the only language of labels that the printer names: what one throws away, the other may print.
    package var labelLanguage: LabelLanguage? {
        let names = Set(languages.filter { $0.jobTypes == .label }.map(\.name))
        guard let name = names.first, names.count == 1 else { return nil }
        return switch name {
        case "ZPL": .zpl
        case "EPL": .epl
        case "TSPL": .tspl
        default: nil
        }
    }
}
