import NIOCore
import NIOHTTP1

/// A response that has come to its end.
struct HTTPAnswer: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: ByteBuffer
    /// Document bytes that the printer may have taken, at most.
    var documentBytes: Int64 = 0
}

extension HTTPAnswer {
    /// Whether the printer says that it did what was asked: HTTP's word and, in the body's octets 2 and 3, IPP's (RFC
    /// 8010 §3.1).
    var isSuccess: Bool {
        guard (200..<300).contains(status.code),
            let code = body.getInteger(at: body.readerIndex + 2, as: UInt16.self)
        else { return false }
        return code < 0x0100
    }

    /// The `request-id` in a success of HTTP (RFC 8010 §3.1: octets 4 to 7), where it names another request than this:
    /// a stray answer to an earlier one on the same connection (RFC 8011 §4.1.1). Printers that do not look at it
    /// answer 0 or 1 to everything; no request of ours has such a number, so these are never stray answers of others.
    func foreignRequestID(for request: HTTPRequest) -> Int32? {
        guard let own = request.requestID, (200..<300).contains(status.code),
            let major = body.getInteger(at: body.readerIndex, as: UInt8.self), (1...2).contains(major),
            let id = body.getInteger(at: body.readerIndex + 4, as: Int32.self), id != own, id != 0, id != 1
        else { return nil }
        return id
    }

    /// Digest's nonce for the next request (RFC 7616 §3.5).
    var nextNonce: String? {
        guard let field = headers.first(name: "authentication-info") else { return nil }
        // The field is a challenge's list of parameters without a scheme.
        return AuthenticationChallenge.parse(["Digest \(field)"]).first { $0.isWhole }?.parameters["nextnonce"]
    }

    /// The seconds for which the printer keeps an idle connection, where it says so (`Keep-Alive: timeout=15`).
    var keepAliveTimeout: Int? {
        for field in headers["keep-alive"] {
            for parameter in field.split(separator: ",") {
                let parts = parameter.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].drop(while: { $0 == " " }).lowercased() == "timeout" else { continue }
                return Int(parts[1])
            }
        }
        return nil
    }
}
