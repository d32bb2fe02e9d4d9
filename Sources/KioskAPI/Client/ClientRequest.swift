import NIOCore
import NIOHTTP1

/// One request as the client sends it.
struct ClientRequest: Sendable {
    var method: HTTPMethod
    var path: String
    var headers: [(name: String, value: String)] = []
    var body = Body.none
    /// For how long nothing may move: the answer's beginning after the request's end, and each piece of a body.
    var timeout: TimeAmount
    /// The answer's body is read piece by piece, as it comes.
    var streamsAnswer = false
    /// Sending it twice does what sending it once does.
    var isRepeatable: Bool

    enum Body: Sendable {
        case none
        case bytes(ByteBuffer)
        /// `progress` is told the bytes that have been sent.
        case document(DocumentReader, progress: @Sendable (Int64) -> Void)
    }

    var head: HTTPRequestHead {
        var fields = HTTPHeaders(headers.map { ($0.name, $0.value) })
        fields.add(name: "Host", value: "kioskd")
        switch body {
        case .none: break
        case .bytes(let bytes): fields.add(name: "Content-Length", value: String(bytes.readableBytes))
        case .document(let reader, _):
            if let length = reader.length {
                fields.add(name: "Content-Length", value: String(length))
            } else {
                fields.add(name: "Transfer-Encoding", value: "chunked")
            }
        }
        return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: fields)
    }
}

/// The daemon's answer.
struct ClientAnswer: Sendable {
    var status: Int
    var contentType: String?
    /// Empty while the answer is streamed.
    var body: ByteBuffer
    /// Whether another request may follow on the connection.
    var keepsAlive: Bool
}
