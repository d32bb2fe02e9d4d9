/// The members of a JSON object, read by their keys.
struct JSONObject {
    private let members: [JSONNode.Member]
    private let reader: ReceiptJSONReader
    let node: JSONNode

    init(_ node: JSONNode, _ what: String, _ reader: ReceiptJSONReader) throws(ReceiptError) {
        guard case .object(let members) = node.value else {
            throw reader.error("\(what) is not an object", at: node.offset)
        }
        self.members = members
        self.reader = reader
        self.node = node
    }

    /// Throws where the object has a key that is not one of these.
    func allow(_ keys: [String]) throws(ReceiptError) {
        for member in members where !keys.contains(member.key) {
            throw reader.error(
                "the key \"\(member.key.prefix(40))\" is unknown", keys.joined(separator: ", "),
                at: member.offset)
        }
    }

    subscript(key: String) -> JSONNode? { members.first { $0.key == key }?.node }

    func string(_ key: String) throws(ReceiptError) -> String? {
        guard let node = self[key] else { return nil }
        guard case .string(let string) = node.value else {
            throw reader.error("\"\(key)\" is not a string", "a string in quotes", at: node.offset)
        }
        return string
    }

    func flag(_ key: String) throws(ReceiptError) -> Bool? {
        guard let node = self[key] else { return nil }
        guard case .boolean(let flag) = node.value else {
            throw reader.error("\"\(key)\" is neither true nor false", "true or false", at: node.offset)
        }
        return flag
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(ReceiptError) -> Int? {
        guard let node = self[key] else { return nil }
        guard case .integer(let number) = node.value, range.contains(number) else {
            throw reader.error(
                "\"\(key)\" is not a whole number in its range", "\(range.lowerBound) to \(range.upperBound)",
                at: node.offset)
        }
        return number
    }

    func keyword<Keyword: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ type: Keyword.Type
    ) throws(ReceiptError) -> Keyword? {
        guard let word = try string(key) else { return nil }
        guard let keyword = Keyword(rawValue: word) else {
            let known = Keyword.allCases.map(\.rawValue).joined(separator: ", ")
            throw reader.error(
                "\"\(key)\" has the unknown value \"\(word.prefix(40))\"", known,
                at: self[key]?.offset ?? node.offset)
        }
        return keyword
    }
}
