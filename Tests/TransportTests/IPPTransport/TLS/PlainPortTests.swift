import Glibc
import KioskIPPCodec
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskIPP

/// Printers under ipp:// at a port that is one for TLS, and addresses with a zone.
@Suite struct PlainPortTests {
    private func error(
        _ script: @escaping ScriptedPrinter.Script, _ body: (IPPTransport, PrinterTarget) async throws -> Void
    ) async throws -> TransportError {
        let printer = try ScriptedPrinter(script)
        defer { printer.stop() }
        var caught: TransportError?
        try await withTransport { transport in
            let target = try printer.target
            caught = await #expect(throws: TransportError.self) { try await body(transport, target) }
        }
        return try #require(caught)
    }

    /// What OpenSSL, GnuTLS and Java answer a request in clear with: an alert, whole or in pieces.
    @Test(arguments: [1, 7])
    func `a port for TLS names ipps`(pieces: Int) async throws {
        let alert: [UInt8] = [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]
        let error = try await error { connection in
            _ = try connection.readMessage()
            for piece in 0..<pieces { try connection.send(alert[(piece * 7 / pieces)..<((piece + 1) * 7 / pieces)]) }
        } _: { transport, target in
            _ = try await transport.contact(target)
        }
        #expect(error.code == .tlsRequired)
        #expect(error.message.contains("speaks TLS on this port"))
        #expect(error.message.contains("save it with ipps:// in place of ipp://"))
    }

    @Test func `a document that a port for TLS got is not in doubt`() async throws {
        let error = try await error { connection in
            // The alert is the first that comes over its connection.
            guard try connection.readRequest().message.operation != .getPrinterAttributes else {
                return try connection.reply(
                    ScriptedConnection.ok(ScriptedConnection.printer()), fields: "Connection: close\r\n")
            }
            try connection.send([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x0A] as [UInt8])
        } _: { transport, target in
            _ = try await transport.deliver(.receipt("k1", [1, 2, 3]), to: target) { _ in }
        }
        #expect(error.code == .tlsRequired && error.bytesAccepted == 0)
    }

    @Test func `a port that hangs up without a word may be one for TLS`() async throws {
        let error = try await error { connection in
            _ = try connection.readMessage()
        } _: { transport, target in
            _ = try await transport.contact(target)
        }
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("if its port is one for TLS, save it with ipps://"))
    }

    /// Debian's ippeveprinter takes TLS and clear text on one port; stunnel and nginx do not. This is OpenSSL's own.
    @Test func `OpenSSL's server on a port for TLS names ipps`() async throws {
        let certificate = try await TestAuthority().issue(.init("localhost", names: ["localhost"]))
        let port = try freePort()
        let openssl = try InstalledProgram.path("openssl", package: "openssl")
        let server = try ChildProcess(
            openssl,
            ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate.chain, "-key", certificate.key, "-quiet"])
        defer { server.signal(SIGKILL) }
        try await eventually("the server") {
            let probe = try LoopbackSocket()
            return (try? probe.connect(to: port)) != nil
        }
        try await withTransport { transport in
            let target = PrinterTarget(url: try PrinterURL("ipp://127.0.0.1:\(port)/ipp/print"))
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            #expect(error.message.contains("ipps://"), "\(error.message)")
        }
    }

    @Test func `an address with a zone is resolved with it, and sent without it`() throws {
        let url = try PrinterURL("ipp://[fe80::1%25eth0]:8631/ipp/print")
        let address = PrinterAddress(url)
        #expect(address.host == "[fe80::1]:8631")
        #expect(address.uri == "ipp://[fe80::1]:8631/ipp/print")
    }

    private static let hasIPv6: Bool = {
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        } == 0
    }()

    @Test(.enabled(if: hasIPv6, "there is no IPv6 here"))
    func `an address with a zone is connected to`() async throws {
        let port = try freePort()
        try await withTransport { transport in
            let target = PrinterTarget(url: try PrinterURL("ipp://[::1%251]:\(port)/ipp/print"))
            let error = try await #require(throws: TransportError.self) { try await transport.contact(target) }
            // It was understood: something could answer there.
            #expect(error.code == .connectionRefused, "\(error.message)")
        }
    }
}
