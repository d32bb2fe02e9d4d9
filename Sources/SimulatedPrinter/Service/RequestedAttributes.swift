import IPPCodec

/// Which attributes an answer is to hold (RFC 8011 §4.2.5.1, §4.3.4.1).
struct RequestedAttributes {
    private let names: Set<String>

    /// `nothingAsked` is what the operation gives when the client does not say.
    init(_ request: IPPRequest, nothingAsked: Set<String>) {
        names = request["requested-attributes"].map { Set($0.strings) } ?? nothingAsked
    }

    /// Those of `attributes` that are asked for by name, by the name of their group, or by `all`.
    func filter(_ attributes: [IPPAttribute], group: String) -> [IPPAttribute] {
        if names.contains("all") || names.contains(group) { return attributes }
        return attributes.filter { names.contains($0.name) }
    }

    func contains(_ name: String) -> Bool { names.contains(name) }
}
