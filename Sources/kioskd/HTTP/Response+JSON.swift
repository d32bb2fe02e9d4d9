import HTTPTypes
import Hummingbird
import KioskAPI
import NIOCore

extension Response {
    /// A value as JSON.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:],
        mediaType: String = APIMediaTypes.json
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        return try bytes(APIJSON.encode(value), status: status, headers: headers)
    }

    static func bytes(_ bytes: some Collection<UInt8>, status: HTTPResponse.Status, headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentLength] = String(bytes.count)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static var noContent: Response { Response(status: .noContent) }
}
