import KioskIPPCodec
import KioskPrintModel

/// The wire trace of one printer: where its requests, connections and subscriptions tell what goes over the wire.
struct PrinterTrace: Sendable {
    private let trace: WireTrace
    private let printer: PrinterURL

    init(_ trace: WireTrace, _ printer: PrinterURL) {
        self.trace = trace
        self.printer = printer
    }

    func tell(_ message: @autoclosure () -> String) { trace.tell(.ipp, printer, message()) }
    func tellTLS(_ message: @autoclosure () -> String) { trace.tell(.tls, printer, message()) }
}

/// Formats IPP messages as lines of the wire trace: `← Print-Job #17: successful-ok, HTTP 200: job-id=12`.
///
/// Keywords stand as they are, texts and names in quotes, collections in braces. Of an octetString and of an unknown
/// syntax the first octets are shown. The value of an attribute that may be a secret never is.
enum IPPTrace {
    /// No attribute begins after this many bytes of a line, so that none is cut by `WireTrace.maximumLength`.
    static let maximumLength = 3400
    /// The most Unicode scalars of an attribute's name, and of all its values together.
    static let maximumValueLength = 256
    private static let maximumOctets = 16

    /// `length`: the message's encoded length. `documentLength`: the document's on the wire; nil for a request without
    /// one. `uncompressedLength`: the document's own, where it is compressed.
    static func request(
        _ message: IPPMessage, length: Int, documentLength: Int64? = nil, uncompressedLength: Int64? = nil,
        coding: CompressedDocument.Coding = .gzip
    ) -> String {
        var head = "→ \(message.operation) #\(message.requestID) (IPP \(message.version))"
        head += ", \(length) bytes of attributes"
        if let documentLength { head += ", \(documentLength) bytes of document" }
        if let uncompressedLength { head += " (\(coding.rawValue) of \(uncompressedLength))" }
        return line(head, message.groups)
    }

    /// `request`: the request's operation and number, as in `Print-Job #17`.
    static func response(_ message: IPPMessage, to request: String, requestID: Int32?, httpStatus: UInt) -> String {
        let ownID = message.requestID == requestID ? "" : " (request-id \(message.requestID))"
        return line("← \(request): \(message.status)\(ownID), HTTP \(httpStatus)", message.groups)
    }

    private static func line(_ head: String, _ groups: [IPPGroup]) -> String {
        var line = head
        var omitted = 0
        for group in groups {
            var separator = group.tag == .operation ? ": " : "; \(name(of: group.tag)): "
            for attribute in group.attributes {
                guard line.utf8.count < maximumLength else {
                    omitted += 1
                    continue
                }
                line += separator + text(attribute)
                separator = " "
            }
        }
        return omitted == 0 ? line : "\(line) … (\(omitted) more attributes)"
    }

    /// `job-attributes` for the job-attributes-tag.
    private static func name(of tag: IPPGroupTag) -> String {
        let name = "\(tag)"
        return name.hasSuffix("-tag") ? String(name.dropLast("-tag".count)) : name
    }

    /// `name=value,value`.
    static func text(_ attribute: IPPAttribute) -> String {
        let name = bounded(attribute.name)
        guard !mayBeSecret(attribute.name) else { return "\(name)=…" }
        var values = ""
        var left = maximumValueLength
        for (index, value) in attribute.values.enumerated() {
            let text = text(value, of: attribute.name)
            let length = text.unicodeScalars.count + (index == 0 ? 0 : 1)
            guard length <= left else {
                if index == 0 { return "\(name)=\(bounded(text))\(more(attribute.values.count - 1))" }
                return "\(name)=\(values)\(more(attribute.values.count - index))"
            }
            values += index == 0 ? text : ",\(text)"
            left -= length
        }
        return "\(name)=\(values)"
    }

    private static func more(_ count: Int) -> String { count == 0 ? "" : ",… (\(count) more)" }

    /// `job-password`, `document-password` and the like (PWG 5100.11 §5.1.15, PWG 5100.13 §5.1.5), and the members of
    /// `…-access` collections: `access-oauth-token`, `access-pin`.
    private static func mayBeSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        let words = ["password", "passphrase", "passcode", "secret", "oauth", "access-pin"]
        return words.contains { name.firstRange(ofText: $0) != nil }
    }

    /// `scheme://user:…@host/path`: some print servers give the login at a device in their `device-uri`.
    private static func withoutPassword(_ uri: String) -> String {
        guard let start = uri.firstRange(ofText: "://")?.upperBound else { return uri }
        // RFC 3986 §3.2.
        let authority = uri[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") else {
            return uri
        }
        return "\(uri[...colon])…\(uri[end...])"
    }

    private static func text(_ value: IPPValue, of name: String) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .enum(let number): enumName(number, of: name) ?? "\(number)"
        case .boolean(let flag): "\(flag)"
        case .dateTime(let date): "\(date)"
        case .resolution(let resolution): "\(resolution)"
        case .rangeOfInteger(let range): "\(range)"
        case .text(let text), .name(let text): quoted(text.string)
        case .textWithLanguage(let text, let language), .nameWithLanguage(let text, let language):
            "\(quoted(text.string))[\(language)]"
        case .uri(let text): bare(withoutPassword(text.string))
        case .keyword(let text), .uriScheme(let text), .charset(let text), .naturalLanguage(let text),
            .mimeMediaType(let text):
            bare(text.string)
        case .collection(let collection): "{\(collection.attributes.map { Self.text($0) }.joined(separator: " "))}"
        case .outOfBand(let reason): "\(reason)"
        case .octetString(let octets): hexadecimal(octets)
        case .other(let tag, let octets): "\(hexadecimal(octets)) (\(tag))"
        }
    }

    /// The keyword of an enum; nil for an attribute that is not an enum here, and for a number without a keyword.
    private static func enumName(_ number: Int32, of attribute: String) -> String? {
        switch attribute {
        case "operations-supported": UInt16(exactly: number).flatMap { IPPOperation(rawValue: $0).name }
        default: enumNames[attribute]?[number]
        }
    }

    /// RFC 8011 §5.2.10, §5.2.13, §5.3.7 and §5.4.11.
    private static let enumNames: [String: [Int32: String]] = [
        "job-state": [
            3: "pending", 4: "pending-held", 5: "processing", 6: "processing-stopped", 7: "canceled", 8: "aborted",
            9: "completed",
        ],
        "printer-state": [3: "idle", 4: "processing", 5: "stopped"],
        "orientation-requested": [3: "portrait", 4: "landscape", 5: "reverse-landscape", 6: "reverse-portrait"],
        "print-quality": [3: "draft", 4: "normal", 5: "high"],
    ]

    /// A keyword or URI; in quotes where it would run into what follows.
    private static func bare(_ text: String) -> String {
        text.isEmpty || text.contains { $0 == " " || $0 == "," || $0 == "\"" || $0 == "}" } ? quoted(text) : text
    }

    /// What is cut off in any case is not escaped first.
    private static func quoted(_ text: String) -> String {
        "\"" + bounded(text).map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }

    private static func hexadecimal(_ octets: [UInt8]) -> String {
        let digits = octets.prefix(maximumOctets).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "0x\(digits)" + (octets.count > maximumOctets ? "… (\(octets.count) octets)" : "")
    }

    private static func bounded(_ text: String) -> String {
        WireTrace.beginning(of: text, maximum: maximumValueLength)
    }
}
