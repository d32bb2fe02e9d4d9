import COpenSSL

/// What OpenSSL left in this thread's error queue.
///
/// SSL_get_error(3) reads the queue to tell what a call's failure means: so it is emptied before every call, and after
/// every failure, lest one connection's error be taken for another's.
struct OpenSSLErrors {
    /// ERR_get_error's packed codes, the oldest first. At most `limit` are kept.
    private(set) var codes: [UInt] = []
    private static let limit = 16

    /// Takes all there are.
    static func drain() -> OpenSSLErrors {
        var errors = OpenSSLErrors()
        while true {
            let code = ERR_get_error()
            guard code != 0 else { return errors }
            if errors.codes.count < limit { errors.codes.append(code) }
        }
    }

    static func clear() { ERR_clear_error() }

    /// The first error is the cause, the others are who passed it on.
    var first: UInt? { codes.first }

    /// Whether one of them is this reason of this library.
    func contains(library: Int32, reason: Int32) -> Bool {
        codes.contains { ERR_GET_LIB($0) == library && ERR_GET_REASON($0) == reason }
    }

    func contains(reason: Int32) -> Bool {
        codes.contains { ERR_GET_REASON($0) == reason }
    }

    /// The SSL library's reason, where one of them is its.
    var tlsReason: Int32? {
        codes.first { ERR_GET_LIB($0) == ERR_LIB_SSL }.map { ERR_GET_REASON($0) }
    }

    /// OpenSSL's words for the cause.
    var words: String {
        guard let first else { return "OpenSSL gives no reason" }
        guard let text = ERR_reason_error_string(first) else { return "OpenSSL error \(String(first, radix: 16))" }
        return String(cString: text)
    }
}
