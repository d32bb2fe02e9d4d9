import Foundation

/// What nginx noted of one request: the other side's view of a connection.
package struct GatewayRequest: Decodable, Hashable, Sendable {
    package var line: String
    package var status: Int
    package var user: String
    /// Empty without TLS.
    package var tlsVersion: String
    package var serverName: String
    /// Counts the connections of one start of nginx; resumption is a matter between two of them.
    package var connection: Int
    /// Which request of its connection it was, from 1.
    package var requestOfConnection: Int
    package var clientSubject: String
    /// `SUCCESS`, `NONE`, or `FAILED:` with OpenSSL's reason.
    package var clientVerification: String
    package var contentLength: String
    package var transferEncoding: String
    package var expectation: String
    private var reused: String

    /// Whether the TLS session of its connection was resumed.
    package var isSessionReused: Bool { reused == "r" }

    static let logFormat = """
        {"line":"$request","status":$status,"user":"$remote_user","tlsVersion":"$ssl_protocol",\
        "serverName":"$ssl_server_name","connection":$connection,"requestOfConnection":$connection_requests,\
        "clientSubject":"$ssl_client_s_dn","clientVerification":"$ssl_client_verify","contentLength":"$http_content_length",\
        "transferEncoding":"$http_transfer_encoding","expectation":"$http_expect","reused":"$ssl_session_reused"}
        """

    init?(_ line: Substring) {
        guard let request = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
        self = request
    }
}
