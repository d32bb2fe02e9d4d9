import CBareClient
import KioskIPPCodec
import KioskTestSupport

/// The baseline: sockets and OpenSSL without any of our code, a new connection for each receipt.
final class BareSender: ReceiptSender {
    private let client: OpaquePointer
    private let port: Int

    /// `authority`: PEM of what the server's certificate is verified by; nil speaks plain HTTP.
    init(port: Int, authority: String? = nil) throws {
        guard let client = bare_client_new(Int32(port), authority) else {
            throw TestSupportError("OpenSSL cannot be set up")
        }
        self.client = client
        self.port = port
    }

    deinit { bare_client_free(client) }

    func send(_ receipt: [UInt8]) async throws {
        let request = try request(receipt)
        guard bare_client_send(client, request, request.count) else {
            throw TestSupportError("a bare connection failed")
        }
    }

    /// Ours too closes after the response.
    func settle() async throws { bare_client_close(client) }

    /// The Print-Job that the transport sends, with its head.
    private func request(_ receipt: [UInt8]) throws -> [UInt8] {
        let attributes = [
            IPPAttribute("attributes-charset", .charset("utf-8")),
            IPPAttribute("attributes-natural-language", .naturalLanguage("en")),
            IPPAttribute("printer-uri", .uri(IPPText("ipp://localhost:\(port)/ipp/print"))),
            IPPAttribute("requesting-user-name", .name(IPPText("till"))),
            IPPAttribute("job-name", .name(IPPText("Receipt"))),
            IPPAttribute("document-format", .mimeMediaType(IPPText("application/vnd.escpos"))),
        ]
        let message = IPPMessage(
            version: .v1_1, operation: .printJob, requestID: 1, groups: [IPPGroup(.operation, attributes)])
        let body = try IPPEncoder.encode(message) + receipt
        let head = """
            POST /ipp/print HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/ipp\r\n\
            Content-Length: \(body.count)\r\nUser-Agent: kiosk-print-engine\r\n\r\n
            """
        return Array(head.utf8) + body
    }
}
