import NIOCore
import Testing

@testable import KioskSSH

@Suite("SFTP messages")
struct SFTPMessagesTests {
    private static let status: [UInt8] = [
        0, 0, 0, 21, 101, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 2, 110, 111, 0, 0, 0, 2, 101, 110,
    ]

    private func decode(_ octets: [UInt8]) throws -> SFTPResponse? {
        var buffer = ByteBuffer(bytes: octets)
        return try SFTPResponse.decode(from: &buffer)?.response
    }

    @Test("A status is read with its words")
    func status() throws {
        #expect(try decode(Self.status) == .status(SFTPStatus(code: 3, text: "no")))
    }

    @Test("A reply that comes octet by octet is read once it is whole")
    func dripFed() throws {
        var buffer = ByteBuffer()
        for octet in Self.status.dropLast() {
            buffer.writeInteger(octet)
            #expect(try SFTPResponse.decode(from: &buffer) == nil)
        }
        buffer.writeInteger(Self.status[24])
        #expect(try SFTPResponse.decode(from: &buffer)?.id == 7)
        #expect(buffer.readableBytes == 0)
    }

    @Test(
        "What is no reply is refused",
        arguments: [
            [0, 0, 0, 0], [255, 255, 255, 255], [0, 0, 0, 5, 99, 0, 0, 0, 1], [0, 0, 0, 5, 101, 0, 0, 0, 1],
            [0, 0, 0, 9, 102, 0, 0, 0, 1, 0, 0, 0, 9], [0, 0, 133, 0],
        ] as [[UInt8]])
    func refuses(octets: [UInt8]) {
        #expect(throws: SSHError.self) { try decode(octets) }
    }

    @Test("Requests are what the draft says")
    func requests() {
        var buffer = ByteBuffer()
        SFTPRequest.create("a").encode(id: 1, into: &buffer)
        #expect(
            Array(buffer.readableBytesView) == [
                0, 0, 0, 22, 3, 0, 0, 0, 1, 0, 0, 0, 1, 97, 0, 0, 0, 0x2A, 0, 0, 0, 4, 0, 0, 1, 0x80,
            ])
        buffer.clear()
        SFTPRequest.write(handle: [9], offset: 0x1_0000_0002, octets: ByteBuffer(bytes: [5, 6])).encode(
            id: 2, into: &buffer)
        #expect(
            Array(buffer.readableBytesView) == [
                0, 0, 0, 24, 6, 0, 0, 0, 2, 0, 0, 0, 1, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 5, 6,
            ])
    }
}
