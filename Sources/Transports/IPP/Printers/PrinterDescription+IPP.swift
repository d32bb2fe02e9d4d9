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
            media: texts("media-supported"),
            mediaReady: texts("media-ready"),
            mediaDefault: text("media-default"),
            isColor: attributes["color-supported"]?.boolean
                ?? (colorModes.isEmpty ? nil : colorModes.contains("color")),
            sides: texts("sides-supported")
        )
        jobTypes = JobTypes(printerKinds: texts("printer-kind"), derivedFrom: self)
    }

    /// Large-format printers list some two hundred media; nothing longer is stored and shown again with every event.
    private static let longestList = 500

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
