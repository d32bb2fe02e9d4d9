import IPPCodec
import PrintModel

extension PrinterDescription {
    /// From the answer to Get-Printer-Attributes. Every text is cleaned of control characters.
    init(_ attributes: IPPGroup) {
        func text(_ names: String...) -> String? {
            for name in names {
                if let text = attributes[name]?.string?.cleaned, !text.isEmpty { return text }
            }
            return nil
        }
        func texts(_ name: String) -> [String] {
            attributes[name]?.strings.prefix(Self.longestList).map(\.cleaned) ?? []
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
            media: Self.media(texts("media-supported"), MediaRange.all(attributes)),
            mediaReady: texts("media-ready"),
            mediaDefault: text("media-default"),
            isColor: attributes["color-supported"]?.boolean
                ?? (colorModes.isEmpty ? nil : colorModes.contains("color")),
            sides: texts("sides-supported"),
            resolutions: Self.resolutions(attributes),
            supplies: [Supply](attributes)
        )
        jobTypes = JobTypes(printerKinds: texts("printer-kind"), derivedFrom: self)
    }

    /// Large-format printers list some two hundred media; nothing longer is stored and shown again with every event.
    private static let longestList = 500

    /// With the ends of a range of sizes as names, where the printer gives that range as numbers only.
    private static func media(_ names: [String], _ ranges: [MediaRange]) -> [String] {
        guard !names.contains(where: { $0.hasPrefix("custom_m") }) else { return names }
        return names + ranges.prefix(longestList - min(longestList, names.count)).flatMap(\.names)
    }

    /// Printers count per inch or per centimetre (RFC 8011 §5.1.16).
    private static func resolutions(_ attributes: IPPGroup) -> [Int] {
        let listed = attributes["printer-resolution-supported"]?.resolutions.prefix(longestList) ?? []
        let dots = listed.compactMap(\.dotsPerInch).map { Int(min($0.crossFeed, $0.feed).rounded()) }
        return Set(dots).sorted()
    }

    /// `printer-uuid` is a URI, `urn:uuid:…` (PWG 5100.13 §6.6.2).
    private static func bareUUID(_ uri: String) -> String {
        let prefix = "urn:uuid:"
        return uri.lowercased().hasPrefix(prefix) ? String(uri.dropFirst(prefix.count)) : uri
    }
}

extension String {
    /// RFC 8011 §5.1.2: a text has at most 1,023 octets; nothing longer is carried around.
    private static var longestText: Int { 1023 }

    /// A printer's text, fit to be stored and shown.
    var cleaned: String { withoutControlCharacters.prefix(utf8Count: Self.longestText) }
}
