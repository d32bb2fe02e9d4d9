import KioskIPPCodec
import KioskPrintModel

extension PrinterDescription {
    /// Reads the response to Get-Printer-Attributes. Every text is cleaned of control characters.
    init(_ attributes: IPPGroup) {
        func text(_ names: String...) -> String? {
            for name in names {
                if let text = attributes[name]?.string?.cleaned, !text.isEmpty { return text }
            }
            return nil
        }
        func texts(_ name: String) -> [String] {
            attributes[name]?.strings.prefix(Self.maximumListLength).map(\.cleaned) ?? []
        }

        let colorModes = texts("print-color-mode-supported")
        self.init(
            name: text("printer-name", "printer-dns-sd-name", "printer-info"),
            location: text("printer-location"),
            makeAndModel: text("printer-make-and-model"),
            uuid: text("printer-uuid").map(Self.bareUUID),
            deviceID: text("printer-device-id"),
            formats: texts("document-format-supported").compactMap { DocumentFormat($0) },
            defaultFormat: text("document-format-default").flatMap { DocumentFormat($0) },
            media: Self.media(texts("media-supported"), MediaSizeRange.all(attributes)),
            mediaReady: texts("media-ready"),
            mediaDefault: text("media-default"),
            isColor: attributes["color-supported"]?.boolean
                ?? (colorModes.isEmpty ? nil : colorModes.contains("color")),
            sides: texts("sides-supported"),
            resolutions: Self.resolutions(attributes),
            supplies: [Supply](attributes), ticketSupport: TicketSupport(PrinterCapabilities(attributes)),
            pages: PageSupport(attributes)
        )
        jobTypes = JobTypes(printerKinds: texts("printer-kind"), derivedFrom: self)
    }

    /// Large-format printers list some two hundred media; nothing longer is stored and repeated with every event.
    private static let maximumListLength = 500

    /// Adds the ends of each range of sizes as names, where the printer gives its ranges as numbers only.
    private static func media(_ names: [String], _ ranges: [MediaSizeRange]) -> [String] {
        guard !names.contains(where: { $0.hasPrefix("custom_m") }) else { return names }
        return names + ranges.prefix(maximumListLength - min(maximumListLength, names.count)).flatMap(\.names)
    }

    /// Dots per inch; printers count per inch or per centimetre (RFC 8011 §5.1.16).
    private static func resolutions(_ attributes: IPPGroup) -> [Int] {
        let listed = attributes["printer-resolution-supported"]?.resolutions.prefix(maximumListLength) ?? []
        let dots = listed.compactMap(\.dotsPerInch).map { Int(min($0.crossFeed, $0.feed).rounded()) }
        return Set(dots).sorted()
    }

    /// `printer-uuid` is a URI, `urn:uuid:…` (PWG 5100.13 §6.6.2).
    private static func bareUUID(_ uri: String) -> String {
        let prefix = "urn:uuid:"
        return uri.lowercased().hasPrefix(prefix) ? String(uri.dropFirst(prefix.count)) : uri
    }
}

extension JobTypes {
    /// The types of job that a printer is made for: what it says (`printer-kind`, PWG 5100.13 §6.5.21) or else what
    /// its formats, its device id and its media imply.
    fileprivate init(printerKinds: [String], derivedFrom description: PrinterDescription) {
        self = printerKinds.reduce(into: []) { $0.formUnion(JobTypes(keyword: $1) ?? []) }
        if isEmpty {
            self = Self.fromLanguages(description).union(Self.fromMedia(description))
        }
        // A printer that names neither languages nor media takes pages, as all did before these attributes existed.
        if isEmpty { self = .document }
        if contains(.document) { insert(.general) }
    }

    private static func fromLanguages(_ description: PrinterDescription) -> JobTypes {
        var types: JobTypes = []
        let formats = description.formats
        if formats.contains(where: \.isEscPOS) || formats.contains(.starPRNT) { types.formUnion([.receipt, .roll]) }
        if formats.contains(.zpl) { types.insert(.label) }
        let commands = description.commandSets
        if !commands.isDisjoint(with: ["ESCPOS", "ESC/POS", "STARPRNT", "STAR", "EPSON-POS"]) {
            types.formUnion([.receipt, .roll])
        }
        if !commands.isDisjoint(with: ["ZPL", "ZPL II", "ZPLII", "EPL", "EPL2", "TSPL", "DPL", "SBPL"]) {
            types.insert(.label)
        }
        return types
    }

    private static func fromMedia(_ description: PrinterDescription) -> JobTypes {
        var types: JobTypes = []
        for name in description.media {
            types.formUnion(of(media: name, isColor: description.isColor == true))
        }
        return types
    }

    /// What one medium is for. The names' classes and sizes are PWG 5101.1's.
    private static func of(media name: String, isColor: Bool) -> JobTypes {
        // A range's ends say what the printer can be set to, not what it is made for; a range of lengths is a roll.
        if name.hasPrefix("custom_m") { return [] }
        guard let size = PWGMediaSize(mediaName: name) else { return [] }
        if name.hasPrefix("roll_") { return size.width <= maximumReceiptWidth ? [.roll, .receipt] : .roll }
        if envelopeWords.contains(where: { name.contains($0) }) { return .envelope }
        if name.contains("hagaki") || name.contains("oufuku") || name.contains("postcard") { return .postcard }
        let (short, long) = (min(size.width, size.height), max(size.width, size.height))
        if size.width <= maximumReceiptWidth, size.height >= size.width * 2.5 { return [.roll, .receipt] }
        if short >= 400 { return .largeFormat }
        if short >= 140, long >= 200 { return .document }
        if short <= 110, long <= 155, name.contains("label") { return .label }
        if isColor, (85...132).contains(short), (120...182).contains(long) { return .photo }
        return []
    }

    /// Receipt paper is 58 or 80 mm wide; 82.5 mm is the widest roll that receipt printers take.
    private static let maximumReceiptWidth = 82.5

    private static let envelopeWords = [
        "number-9", "number-10", "number-11", "number-12", "number-14", "monarch", "personal_", "_dl_", "iso_c",
        "jpn_chou", "jpn_kaku", "prc_", "envelope", "jpn_you", "na_a2", "_invite",
    ]
}
