import NIOCore
import NIOHTTP1

/// A complete HTTP response.
struct HTTPResponse: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: ByteBuffer
    /// Document bytes that the printer may have taken, at most.
    var documentBytes: Int64 = 0

    /// Whether the printer says that it did what was asked: by HTTP's status and, in the body's octets 2 and 3, by
    /// IPP's (RFC 8010 §3.1).
    var isSuccess: Bool {
        guard isHTTPSuccess, let code = body.getInteger(at: body.readerIndex + 2, as: UInt16.self) else { return false }
        return code < 0x0100
    }

    /// Whether HTTP's status is one of success, whatever IPP's is.
    var isHTTPSuccess: Bool { (200..<300).contains(status.code) }

    /// The response's `request-id` (RFC 8010 §3.1: octets 4 to 7) where it belongs to another request: a stray response
    /// to an earlier one on the same connection (RFC 8011 §4.1.1). Nil where it fits. Printers that ignore the
    /// `request-id` return 0 or 1 for everything; no request of ours has these numbers, so they never mark a stray
    /// response.
    func mismatchedRequestID(for request: HTTPRequest) -> Int32? {
        guard let own = request.requestID, isHTTPSuccess,
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
