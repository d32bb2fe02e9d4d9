import Glibc
import KioskPrintModel
import KioskTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import KioskIPP

/// Addresses that need no resolver, and which of them are this computer's.
@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("192.0.2.7", ["192.0.2.7"]), ("2001:db8::7", ["2001:db8::7"]), ("localhost", ["127.0.0.1", "::1"]),
        ("printer.example", []), ("localhost.example", []), ("192.0.2.300", []), ("127.1", []), ("", []),
    ])
    func `addresses are known, and this computer's name`(host: String, addresses: [String]) {
        let known = SocketAddress.known(host, port: 631)
        #expect(known.map(\.ipAddress) == addresses)
        #expect(known.allSatisfy { $0.port == 631 })
    }

    @Test func `what listens on the other loopback address alone is found`() async throws {
        let isReached = Gate()
        // Nobody else listens on it at the other address.
        let port = try freePort()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { child in
                isReached.open()
                return child.close()
            }
            .bind(host: "::1", port: port).get()
        try await withTransport { transport in
            await #expect(throws: TransportError.self) {
                try await transport.contact(PrinterTarget(url: try PrinterURL("ipp://localhost:\(port)/ipp/print")))
            }
        }
        try await isReached.wait()
        try await server.close()
    }

    @Test func `a port on which nothing listens is refused by both`() async throws {
        let port = try freePort()
        try await withTransport { transport in
            let error = await #expect(throws: TransportError.self) {
                try await transport.contact(PrinterTarget(url: try PrinterURL("ipp://localhost:\(port)/ipp/print")))
            }
            #expect(error?.underlying == .errno(ECONNREFUSED))
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
        ("126.255.255.255", false), ("10.0.0.1", false), ("::2", false), ("::127.0.0.1", false),
        ("::ffff:10.0.0.1", false),
        ("fe80::1", false), ("1::", false),
    ])
    func `tells addresses of this computer from others`(address: String, isLoopback: Bool) throws {
        #expect(try SocketAddress(ipAddress: address, port: 631).isLoopback == isLoopback)
    }
}
