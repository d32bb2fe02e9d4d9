import KioskPrintModel
import KioskQueueListings

/// The parts of a host's response to a contact.
struct ContactResponse: Hashable, Sendable {
    private var parts: [Part: [Substring]] = [:]

    enum Part: String, Hashable, Sendable, CaseIterable {
        case queue, attributes, choices, status

        /// The line before the part.
        var marker: String { "kiosk-\(rawValue)" }
    }

    init(_ lines: [Substring]) {
        var part = Part.queue
        for line in lines {
            if let next = Part.allCases.first(where: { line == $0.marker }) {
                part = next
            } else {
                parts[part, default: []].append(line)
            }
        }
    }

    subscript(_ part: Part) -> [Substring] { parts[part] ?? [] }
}

extension PrinterDescription {
    /// The description of a queue from CUPS's `lpoptions`, if the host has it. All texts come from the host.
    init(_ response: ContactResponse) {
        // A raw queue may lead to a receipt printer or to any other.
        self.init()
        let attributes = response[.attributes].first.map(PrinterOptions.attributes) ?? [:]
        func text(_ name: String) -> String? {
            attributes[name].flatMap { $0.isEmpty ? nil : $0.withoutControlCharacters.prefix(utf8Count: 255) }
        }
        name = text("printer-info")
        location = text("printer-location")
        makeAndModel = text("printer-make-and-model")
        for line in response[.choices] {
            guard let option = PrinterOptions.choices(line) else { continue }
            switch option.keyword {
            case "PageSize":
                jobTypes = [.general, .document]
                media = option.choices.compactMap { Self.mediaNames[$0] }
                mediaDefault = option.standard.flatMap { Self.mediaNames[$0] }
            case "Duplex", "EFDuplex", "KD03Duplex", "JCLDuplex":
                sides = ["one-sided"] + Self.sideNames.filter { option.choices.contains($0.choice) }.map(\.keyword)
            case "ColorModel", "ColorMode", "print-color-mode":
                isColor = option.choices.contains { choice in Self.colors.contains { choice.lowercased().hasPrefix($0) }
                }
            default: break
            }
        }
    }

    /// Media names of Adobe's PPD specification 4.3, appendix B, and the same in PWG 5101.1.
    private static let mediaNames = [
        "A3": "iso_a3_297x420mm", "A4": "iso_a4_210x297mm", "A5": "iso_a5_148x210mm", "A6": "iso_a6_105x148mm",
        "B4": "iso_b4_250x353mm", "B5": "iso_b5_176x250mm", "Letter": "na_letter_8.5x11in",
        "Legal": "na_legal_8.5x14in",
        "Executive": "na_executive_7.25x10.5in", "Tabloid": "na_ledger_11x17in", "Env10": "na_number-10_4.125x9.5in",
        "EnvDL": "iso_dl_110x220mm", "EnvC5": "iso_c5_162x229mm", "Postcard": "jpn_hagaki_100x148mm",
    ]
    private static let sideNames = [
        (choice: "DuplexNoTumble", keyword: "two-sided-long-edge"),
        (choice: "DuplexTumble", keyword: "two-sided-short-edge"),
    ]
    private static let colors = ["rgb", "cmy", "color", "srgb", "adobergb"]
}

extension Availability {
    /// The availability from `lpq`, refined by CUPS's other programs if the host has them.
    init(_ response: ContactResponse, _ listing: QueueListing) {
        self.init(listing)
        guard let attributes = response[.attributes].first.map(PrinterOptions.attributes),
            let number = attributes["printer-state"]
        else { return }
        var found: [StateReason] = []
        if attributes["printer-is-accepting-jobs"] == "false" {
            found.append(StateReason(keyword: "not-accepting-jobs", severity: .error))
        }
        if number == Self.stopped { found.append(StateReason(keyword: "paused", severity: .error)) }
        for keyword in (attributes["printer-state-reasons"] ?? "").split(separator: ",").prefix(32) {
            guard let reason = StateReason(ippKeyword: String(keyword).withoutControlCharacters.prefix(utf8Count: 100)),
                !found.contains(where: { $0.keyword == reason.keyword })
            else { continue }
            // A queue that is not stopped prints, so its reasons are at most warnings.
            found.append(
                number == Self.stopped
                    ? reason : StateReason(keyword: reason.keyword, severity: min(reason.severity, .warning)))
        }
        reasons = found
        if found.contains(where: { $0.severity == .error }) {
            state = .stopped
        } else if state == .ready, found.contains(where: { $0.severity == .warning }) {
            state = .attention
        }
        // `printer NAME is idle. …`; the next line is the queue's message.
        let status = response[.status].dropFirst().first.map {
            String($0).withoutControlCharacters.prefix(utf8Count: 300)
        }
        message =
            status.map { String(Substring($0).trimmingBlanks()) }.flatMap {
                $0.isEmpty || $0 == "reason unknown" ? nil : $0
            } ?? message
    }

    /// `printer-state` (RFC 8011 §5.4.11).
    private static let stopped = "5"
}
