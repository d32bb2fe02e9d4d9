import KioskAPIMessages
import NIOCore
import NIOHTTP1

/// One request of the client.
struct ClientRequest: Sendable {
    var method: HTTPMethod
    var path: String
    var address: DaemonAddress
    var headers: [(name: String, value: String)] = []
    var body = Body.none
    /// The longest time from the request's end to the response's beginning, and for each piece of a body.
    var timeout: TimeAmount
    /// Whether the response's body is read piece by piece, as it arrives.
    var streamsResponse = false
    /// Whether sending it twice has the same effect as sending it once.
    var isRepeatable: Bool

    enum Body: Sendable {
        case none
        case bytes(ByteBuffer)
        /// `progress` is called with the number of bytes sent so far.
        case document(DocumentReader, progress: @Sendable (Int64) -> Void)
    }

    var head: HTTPRequestHead {
        var fields = HTTPHeaders((address.requestHeaders + headers).map { ($0.name, $0.value) })
        fields.add(name: "Host", value: address.hostField)
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

extension ClientRequest {
    /// The request of a call. `progress` is called for a streamed document only; `address` is where it goes.
    init<Value>(
        _ call: APICall<Value>, timeout: TimeAmount, address: DaemonAddress,
        progress: @escaping @Sendable (Int64) -> Void
    ) {
        self.init(
            method: HTTPMethod(rawValue: call.method.rawValue), path: call.path, address: address,
            headers: call.headers,
            timeout: timeout, isRepeatable: call.isRepeatable)
        switch call.body {
        case .none: break
        case .bytes(let bytes): body = .bytes(ByteBuffer(bytes: bytes))
        case .document(let descriptor):
            body = .document(DocumentReader(descriptor, address: address), progress: progress)
        }
    }
}

/// The daemon's response.
struct ClientResponse: Sendable {
    var status: Int
    var contentType: String?
    /// The body; empty where it is streamed.
    var body: ByteBuffer
    /// Whether the connection can take another request.
    var keepsAlive: Bool

    /// The response as calls read it.
    var whole: APIResponse {
        APIResponse(status: status, contentType: contentType, body: Array(body.readableBytesView))
    }
}
