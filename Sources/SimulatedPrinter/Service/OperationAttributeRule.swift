import IPPCodec

/// The syntax of an operation attribute (RFC 8011 §4.2 to §4.3, lengths §5.1).
struct OperationAttributeRule {
    var tags: Set<IPPValueTag>
    var maximumLength: Int
    var isSet: Bool

    private init(_ tags: Set<IPPValueTag>, _ maximumLength: Int = 1023, isSet: Bool = false) {
        self.tags = tags
        self.maximumLength = maximumLength
        self.isSet = isSet
    }

    private static let uri = OperationAttributeRule([.uri])
    private static let integer = OperationAttributeRule([.integer])
    private static let integers = OperationAttributeRule([.integer], isSet: true)
    private static let boolean = OperationAttributeRule([.boolean])
    private static let name = OperationAttributeRule([.name, .nameWithLanguage], 255)
    private static let text = OperationAttributeRule([.text, .textWithLanguage])
    private static let keyword = OperationAttributeRule([.keyword], 255)
    private static let keywords = OperationAttributeRule([.keyword], 255, isSet: true)

    static let all: [String: OperationAttributeRule] = [
        "printer-uri": uri, "job-uri": uri, "job-id": integer,
        "job-ids": OperationAttributeRule([.integer], isSet: true),
        "requesting-user-name": name, "job-name": name, "document-name": name, "message": text,
        "document-format": OperationAttributeRule([.mimeMediaType], 255), "compression": keyword,
        "ipp-attribute-fidelity": boolean, "last-document": boolean, "my-jobs": boolean, "limit": integer,
        "which-jobs": keyword, "requested-attributes": keywords, "identify-actions": keywords,
        "notify-subscription-id": integer, "notify-job-id": integer, "notify-wait": boolean,
        "my-subscriptions": boolean,
        "notify-subscription-ids": integers, "notify-sequence-numbers": integers, "job-k-octets": integer,
        "job-impressions": integer, "job-media-sheets": integer,
    ]
}
