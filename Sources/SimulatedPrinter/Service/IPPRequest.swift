import IPPCodec

/// A request that has the form which RFC 8011 §4.1 demands, with its operation attributes by name.
struct IPPRequest {
    let message: IPPMessage
    let operationAttributes: IPPGroup
    private let login: String?

    /// Checks version, request-id, group order, charset, language and the syntax of well-known operation attributes.
    /// `login`: who has proven to be whom.
    init(checking message: IPPMessage, from login: String? = nil) throws(IPPRefusal) {
        self.message = message
        self.login = login
        // RFC 8011 §4.1.8: the major version decides.
        guard message.version.major == 1 || message.version.major == 2 else {
            throw IPPRefusal(
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

    /// RFC 8011 §9.3: the name that is best proven.
    var user: String { login ?? self["requesting-user-name"]?.string ?? "anonymous" }

    var jobAttributes: [IPPAttribute] { message.first(.job)?.attributes ?? [] }

    /// RFC 8011 §4.1.5: groups in the order of their operations' definitions, one operation group, no attribute twice.
    private static func checkGroups(_ groups: [IPPGroup]) throws(IPPRefusal) {
        guard groups.dropFirst().allSatisfy({ $0.tag != .operation }),
            zip(groups, groups.dropFirst()).allSatisfy({ $0.tag.rawValue <= $1.tag.rawValue })
        else { throw .badRequest("Attribute groups are out of order.") }
        for group in groups {
            var names: Set<String> = []
            for attribute in group.attributes where !names.insert(attribute.name).inserted {
                throw .badRequest("The attribute \(attribute.name) stands twice in one group.")
            }
        }
    }

    /// RFC 8011 §4.1.4.
    private static func checkCharsetAndLanguage(_ group: IPPGroup) throws(IPPRefusal) {
        let attributes = group.attributes
        guard attributes.count >= 2, attributes[0].name == "attributes-charset",
            case .charset(let charset)? = attributes[0].values.first, attributes[0].values.count == 1,
            attributes[1].name == "attributes-natural-language",
            case .naturalLanguage? = attributes[1].values.first, attributes[1].values.count == 1
        else {
            throw .badRequest("A request begins with attributes-charset and attributes-natural-language.")
        }
        guard charset.string.lowercased() == "utf-8" else {
            throw IPPRefusal(
                .clientErrorCharsetNotSupported, "Only utf-8 is supported.", unsupported: [attributes[0]])
        }
    }

    private static func checkSyntax(_ group: IPPGroup) throws(IPPRefusal) {
        for attribute in group.attributes {
            guard let rule = OperationAttributeRule.all[attribute.name] else { continue }
            guard rule.isSet || attribute.values.count == 1, attribute.values.allSatisfy({ rule.tags.contains($0.tag) })
            else { throw .badRequest("The attribute \(attribute.name) has the wrong syntax.") }
            guard attribute.values.allSatisfy({ ($0.text?.count ?? 0) <= rule.maximumLength }) else {
                throw IPPRefusal(
                    .clientErrorRequestValueTooLong, "The attribute \(attribute.name) is too long.",
                    unsupported: [IPPAttribute(attribute.name, .unsupported)])
            }
        }
    }
}
