import HTTPTypes

/// The id that tells one request from others, in its response, its job, the events and the log: the caller's
/// `X-Request-ID`, or one that is made here.
enum RequestID {
    /// The maximum length of a caller's id, in bytes.
    static let maximumLength = 128

    /// The id in the fields of a request, where it is one: visible ASCII characters, not too many. Else a new one.
    static func id(of fields: HTTPFields) -> String {
        guard let given = fields[.requestID], isValid(given) else { return make() }
        return given
    }

    static func isValid(_ id: String) -> Bool {
        (1...maximumLength).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// 64 random bits, as 13 letters and digits: no two requests of a kiosk's life share one.
    static func make() -> String {
        var rest = UInt64.random(in: .min ... .max)
        return String(unsafeUninitializedCapacity: 13) { text in
            for index in 0..<13 {
                text[index] = digits[Int(rest & 31)]
                rest >>= 5
            }
            return 13
        }
    }

    /// Crockford's base 32: nothing in it is taken for something else when it is read out.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name("X-Request-ID")!
}
