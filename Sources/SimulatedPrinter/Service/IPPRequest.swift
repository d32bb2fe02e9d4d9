import KioskIPPCodec
import KioskPrintModel

/// A request that has the form which RFC 8011 §4.1 demands, with its operation attributes by name.
struct IPPRequest {
    let message: IPPMessage
    private let operationAttributes: IPPGroup
    private let login: String?

    /// Checks the version, the request-id, the order of the groups, the charset, the language and the syntax of the
    /// well-known operation attributes. `login` is the authenticated user; nil where the printer requires none.
    init(checking message: IPPMessage, from login: String? = nil) throws(IPPStatusError) {
        self.message = message
        self.login = login
        // RFC 8011 §4.1.8: the major version decides.
        guard message.version.major == 1 || message.version.major == 2 else {
            throw IPPStatusError(
                .serverErrorVersionNotSupported, "IPP \(message.version) is not supported; 1.1 and 2.0 are.")
        }
        guard message.requestID > 0 else { throw .badRequest("The request-id must be 1 or more.") }
        guard let first = message.groups.first, first.tag == .operation else {
            throw .badRequest("The first group must hold operation attributes.")
        }
        operationAttributes = first
        try Self.checkGroups(message.groups)
        try Self.checkCharsetAndLanguage(first)
        try Self.checkSyntax(first)
    }

    subscript(name: String) -> IPPAttribute? { operationAttributes[name] }

    /// The most authenticated name of the user (RFC 8011 §9.3).
    var user: String { login ?? self["requesting-user-name"]?.string ?? "anonymous" }

    var jobAttributes: [IPPAttribute] { message.first(.job)?.attributes ?? [] }

    // MARK: Attributes that many operations have

    /// Checks the target of a printer operation (RFC 8011 §4.1.5).
    func checkTarget(_ printer: PrinterIdentity) throws(IPPStatusError) {
        guard let uri = self["printer-uri"]?.string else {
            throw .badRequest("The attribute printer-uri is missing.")
        }
        guard Self.path(ofURI: uri) == PrinterIdentity.path else {
            throw IPPStatusError(.clientErrorNotFound, "There is no such printer; it is \(printer.uri).")
        }
    }

    /// The id of a job operation's target: `job-uri`, or `printer-uri` and `job-id` (RFC 8011 §4.1.5). Nil where the
    /// URI names no job of this printer.
    func jobID(on printer: PrinterIdentity) throws(IPPStatusError) -> Int32? {
        if let uri = self["job-uri"]?.string {
            let prefix = PrinterIdentity.path + "/"
            return Self.path(ofURI: uri).flatMap { $0.hasPrefix(prefix) ? Int32($0.dropFirst(prefix.count)) : nil }
        }
        try checkTarget(printer)
        guard let id = self["job-id"]?.integer else { throw .badRequest("The attribute job-id is missing.") }
        return id
    }

    func checkFormat(_ capabilities: SimulatedModel) throws(IPPStatusError) {
        guard let attribute = self["document-format"], let format = attribute.string else { return }
        // Parameters do not count: "text/plain; charset=utf-8" is text/plain.
        guard let type = DocumentFormat(format)?.mimeType, capabilities.formats.contains(type) else {
            throw IPPStatusError(
                .clientErrorDocumentFormatNotSupported,
                "The printer supports \(capabilities.formats.joined(separator: ", ")).", unsupported: [attribute])
        }
    }

    /// How the document is compressed; nil where it is not. Throws for a compression that the printer does not know.
    func compression() throws(IPPStatusError) -> DocumentCompression? {
        guard let attribute = self["compression"], let keyword = attribute.string, keyword != "none" else { return nil }
        guard let compression = DocumentCompression(rawValue: keyword) else {
            throw IPPStatusError(
                .clientErrorCompressionNotSupported, "The printer supports the compressions none, gzip and deflate.",
                unsupported: [attribute])
        }
        return compression
    }

    /// The path of an absolute URI, without its query; nil where it has none.
    private static func path(ofURI uri: String) -> String? {
        let parts = uri.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard let authority = parts.dropFirst().first, let slash = authority.firstIndex(of: "/") else { return nil }
        return String(authority[slash...].prefix { $0 != "?" && $0 != "#" })
    }

    // MARK: Checks

    /// RFC 8011 §4.1.5: groups in the order of their operations' definitions, one operation group, no attribute twice.
    private static func checkGroups(_ groups: [IPPGroup]) throws(IPPStatusError) {
        guard groups.dropFirst().allSatisfy({ $0.tag != .operation }),
            zip(groups, groups.dropFirst()).allSatisfy({ $0.tag.rawValue <= $1.tag.rawValue })
        else { throw .badRequest("Attribute groups are out of order.") }
        for group in groups {
            var names: Set<String> = []
            for attribute in group.attributes where !names.insert(attribute.name).inserted {
                throw .badRequest("The attribute \(attribute.name) appears twice in one group.")
            }
        }
    }

    /// RFC 8011 §4.1.4.
    private static func checkCharsetAndLanguage(_ group: IPPGroup) throws(IPPStatusError) {
        let attributes = group.attributes
        guard attributes.count >= 2, attributes[0].name == "attributes-charset",
            case .charset(let charset)? = attributes[0].values.first, attributes[0].values.count == 1,
            attributes[1].name == "attributes-natural-language",
            case .naturalLanguage? = attributes[1].values.first, attributes[1].values.count == 1
        else {
            throw .badRequest("A request begins with attributes-charset and attributes-natural-language.")
        }
        guard charset.string.lowercased() == "utf-8" else {
            throw IPPStatusError(
                .clientErrorCharsetNotSupported, "Only utf-8 is supported.", unsupported: [attributes[0]])
        }
    }

    private static func checkSyntax(_ group: IPPGroup) throws(IPPStatusError) {
        for attribute in group.attributes {
            guard let syntax = AttributeSyntax.operationAttributes[attribute.name] else { continue }
            guard syntax.isSet || attribute.values.count == 1,
                attribute.values.allSatisfy({ syntax.tags.contains($0.tag) })
            else { throw .badRequest("The attribute \(attribute.name) has the wrong syntax.") }
            guard attribute.values.allSatisfy({ ($0.text?.count ?? 0) <= syntax.maximumLength }) else {
                throw IPPStatusError(
                    .clientErrorRequestValueTooLong, "The attribute \(attribute.name) is too long.",
                    unsupported: [IPPAttribute(attribute.name, .unsupported)])
            }
        }
    }
}

/// The compressions of documents that the printer takes (RFC 8011 §5.4.32).
enum DocumentCompression: String, CaseIterable {
    case gzip, deflate
}

/// The attributes that a client asks for (`requested-attributes`, RFC 8011 §4.2.5.1, §4.3.4.1).
struct RequestedAttributes {
    private let names: Set<String>

    /// `names` is what the operation returns where the client does not say.
    init(_ request: IPPRequest, default names: Set<String>) {
        self.names = request["requested-attributes"].map { Set($0.strings) } ?? names
    }

    /// Those of `attributes` that the client asks for by name, by the name of their group, or by `all`.
    func filter(_ attributes: [IPPAttribute], group: String) -> [IPPAttribute] {
        if names.contains("all") || names.contains(group) { return attributes }
        return attributes.filter { names.contains($0.name) }
    }

    func contains(_ name: String) -> Bool { names.contains(name) }
}

/// The syntax of an operation attribute (RFC 8011 §4.2 to §4.3; lengths §5.1).
private struct AttributeSyntax {
    let tags: Set<IPPValueTag>
    let maximumLength: Int
    let isSet: Bool

    private init(_ tags: Set<IPPValueTag>, _ maximumLength: Int = 1023, isSet: Bool = false) {
        self.tags = tags
        self.maximumLength = maximumLength
        self.isSet = isSet
    }

    private static let uri = AttributeSyntax([.uri])
    private static let integer = AttributeSyntax([.integer])
    private static let integers = AttributeSyntax([.integer], isSet: true)
    private static let boolean = AttributeSyntax([.boolean])
    private static let name = AttributeSyntax([.name, .nameWithLanguage], 255)
    private static let text = AttributeSyntax([.text, .textWithLanguage])
    private static let keyword = AttributeSyntax([.keyword], 255)
    private static let keywords = AttributeSyntax([.keyword], 255, isSet: true)
    private static let mimeMediaType = AttributeSyntax([.mimeMediaType], 255)

    static let operationAttributes: [String: AttributeSyntax] = [
        "printer-uri": uri, "job-uri": uri, "job-id": integer, "job-ids": integers, "requesting-user-name": name,
        "job-name": name, "document-name": name, "message": text, "document-format": mimeMediaType,
        "compression": keyword, "ipp-attribute-fidelity": boolean, "last-document": boolean, "my-jobs": boolean,
        "limit": integer, "which-jobs": keyword, "requested-attributes": keywords, "identify-actions": keywords,
        "notify-subscription-id": integer, "notify-job-id": integer, "notify-wait": boolean,
        "my-subscriptions": boolean, "notify-subscription-ids": integers, "notify-sequence-numbers": integers,
        "job-k-octets": integer, "job-impressions": integer, "job-media-sheets": integer,
    ]
}
