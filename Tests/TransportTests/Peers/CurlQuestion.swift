import TestSupport

/// Asks a printer for its attributes with `curl`, byte by byte as RFC 8010 has it: neither our client nor our codec.
struct CurlQuestion {
    /// The HTTP status; 0 where none came.
    var status: Int
    var body: [UInt8]
    /// What curl said, with `-v`.
    var said: String

    var isSuccessful: Bool { status == 200 && body.count > 8 && Array(body[2..<4]) == [0, 0] }

    static func ask(_ uri: String, _ arguments: [String] = []) async throws -> CurlQuestion {
        let folder = try TemporaryFolder("curl")
        let question = try folder.write(getPrinterAttributes(of: "ipp://localhost/ipp/print"), to: "question")
        let url = uri.replacing("ipps://", with: "https://").replacing("ipp://", with: "http://")
        let result = try await ChildProcess.run(
            try InstalledProgram.path("curl", package: "curl"),
            [
                "-sv", "--http1.1", "--max-time", "30", "-H", "Content-Type: application/ipp", "--data-binary",
                "@\(question)",
            ]
                + ["-o", folder.appending("answer"), "-w", "%{http_code}"] + arguments + [url])
        return CurlQuestion(
            status: Int(result.standardOutput) ?? 0, body: (try? folder.read("answer")) ?? [],
            said: result.standardError)
    }

    private static func getPrinterAttributes(of uri: String) -> [UInt8] {
        func text(_ value: String) -> [UInt8] {
            [UInt8(value.utf8.count >> 8), UInt8(value.utf8.count & 0xFF)] + Array(value.utf8)
        }
        let head: [UInt8] = [1, 1, 0x00, 0x0B, 0, 0, 0, 1, 0x01]
        let charset = [0x47] + text("attributes-charset") + text("utf-8")
        let language = [0x48] + text("attributes-natural-language") + text("en")
        return head + charset + language + [0x45] + text("printer-uri") + text(uri) + [0x03]
    }
}
