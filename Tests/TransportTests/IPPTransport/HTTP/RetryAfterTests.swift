import KioskPrintModel
import KioskTestSupport
import NIOHTTP1
import Testing

@testable import KioskIPP

/// How long a busy server asks to be left alone (RFC 9110 §10.2.3).
@Suite struct RetryAfterTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(arguments: [
        ("0", 0), ("7", 7), (" 120 ", 120), ("999999999999999999999999", 86_400),
        ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
        ("Mon, 06 Nov 1995 08:49:37 GMT", 86_400),
    ])
    func `seconds and dates are read`(value: String, seconds: Int) {
        #expect(RetryAfter.duration(in: ["Retry-After": value, "Date": Self.date]) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "soon", "-5", "1.5", "+5", "٥", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 25:00:00 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
    ])
    func `what cannot be understood counts as unsaid`(value: String) {
        #expect(RetryAfter.duration(in: ["Retry-After": value]) == nil)
        #expect(RetryAfter.duration(in: [:]) == nil)
    }

    @Test(arguments: [429, 503])
    func `a busy server's wish is told with the error`(status: Int) async throws {
        let printer = try ScriptedPrinter { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 \(status) Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        defer { printer.stop() }
        try await withTransport { transport in
            let error = try await #require(throws: TransportError.self) { try await transport.contact(printer.target) }
            #expect(error.code == .printerBusy)
            #expect(error.retryAfter == .seconds(7))
        }
    }
}
