/// A JSON value (RFC 8259), and where it stands in its text.
struct JSONNode {
    var value: Value
    /// Of its first byte.
    var offset: Int

    enum Value {
        case null
        case boolean(Bool)
        case integer(Int)
        /// With a fraction or exponent, or too large: no receipt has such.
        case number
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    struct Member {
        var key: String
        var offset: Int
        var node: JSONNode
    }
}
