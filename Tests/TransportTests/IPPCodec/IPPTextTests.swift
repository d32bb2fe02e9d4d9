import IPPCodec
import Testing

@Suite struct IPPTextTests {
    @Test func `keeps octets that are not UTF-8`() {
        let latin1: [UInt8] = [0x4B, 0xFC, 0x63, 0x68, 0x65]
        let text = IPPText(bytes: latin1)
        #expect(!text.isUTF8)
        #expect(text.bytes == latin1)
        #expect(text.count == 5)
        #expect(text.string == "K\u{FFFD}che")
    }

    @Test func `keeps NUL and the octets of a decomposed letter`() {
        for bytes: [UInt8] in [[0], [0x61, 0, 0x62], [0x65, 0xCC, 0x81], [0xEF, 0xBB, 0xBF, 0x61]] {
            #expect(IPPText(bytes: bytes).bytes == bytes)
            #expect(IPPText(bytes: bytes).isUTF8)
        }
    }

    @Test func `is equal only when its octets are`() {
        #expect(IPPText("\u{E9}") != IPPText("e\u{301}"))
        #expect(IPPText(bytes: Array("till".utf8)) == "till")
        #expect(Set([IPPText("a"), IPPText(bytes: [0x61]), "b"]).count == 2)
    }
}
