import NIOCore
import NIOHTTP1
import PrintModel

extension KioskClient {
    /// Shows a receipt as it would be printed, in this form: the bytes of a picture or text. Nothing is printed or
    /// kept.
    public func preview(
        _ document: DocumentSource, _ parameters: PreviewParameters, as form: PreviewForm
    ) async throws -> [UInt8] {
        var request = ClientRequest(
            method: .POST, path: parameters.path, headers: [("Accept", form.rawValue)], timeout: timeout(wait: 0),
            isRepeatable: true)
        if let format = parameters.format { request.headers.append(("Content-Type", format.mimeType)) }
        switch document.content {
        case .bytes(let bytes): request.body = .bytes(ByteBuffer(bytes: bytes))
        case .descriptor(let handle, let name):
            request.body = .document(
                DocumentReader(handle, length: document.length, name: name, socket: socket), progress: { _ in })
            if document.length == nil { request.isRepeatable = false }
        }
        return Array(try checked(await exchange(request)).body.readableBytesView)
    }

    /// The same document, in memory where it could be read but once. Of one that no receipt is as long as, the
    /// beginning.
    package func rereadable(_ document: DocumentSource) async throws -> DocumentSource {
        guard document.length == nil, case .descriptor(let handle, let name) = document.content else { return document }
        let reader = DocumentReader(handle, length: nil, name: name, socket: socket)
        var bytes: [UInt8] = []
        while bytes.count <= Self.longestReceipt, let piece = try await reader.read(at: Int64(bytes.count)) {
            bytes += piece.readableBytesView
        }
        return .bytes(bytes)
    }

    /// In bytes: more than the daemon takes for a receipt.
    private static let longestReceipt = 8 << 20

    /// Shows a receipt in characters, with what it says that will not be heeded.
    public func preview(
        _ document: DocumentSource, _ parameters: PreviewParameters = PreviewParameters()
    ) async throws -> PreviewText {
        let bytes = try await preview(document, parameters, as: .json)
        do {
            return try APIJSON.decode(PreviewText.self, from: bytes)
        } catch {
            throw KioskClientError.violation("its answer cannot be read: \(error)", socket)
        }
    }
}
