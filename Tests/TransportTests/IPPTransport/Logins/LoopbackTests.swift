import NIOCore
import Testing

@testable import IPP

@Suite struct LoopbackTests {
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
