import IPPCodec
import Testing

/// The same octets in many chunkings.
enum DripFeed {
    private static let document = Array("the document".utf8)

    /// Feeds `bytes` and a document behind them octet by octet, and in chunks of other sizes.
    static func expect(
        _ message: IPPMessage, from bytes: [UInt8], tolerances: IPPTolerances = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let all = bytes + document
        for size in [1, 2, 3, 7, 64, all.count] {
            var decoder = IPPDecoder(tolerances: tolerances)
            var start = 0
            var found: (message: IPPMessage, documentIndex: Int)?
            while found == nil, start < all.count {
                let chunk = all[start..<min(start + size, all.count)]
                if case .complete(let message, let index) = try decoder.feed(chunk) {
                    found = (message, start + index)
                }
                start += chunk.count
            }
            #expect(found?.message == message, "in chunks of \(size)", sourceLocation: sourceLocation)
            #expect(found?.documentIndex == bytes.count, "in chunks of \(size)", sourceLocation: sourceLocation)
        }
    }

    /// Decodes every proper prefix, whole and fed: each must be truncated and say where.
    static func expectTruncated(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        for count in 0..<bytes.count {
            let prefix = Array(bytes[..<count])
            let whole = #expect(throws: IPPDecodingError.self, sourceLocation: sourceLocation) {
                try IPPDecoder.decode(prefix)
            }
            #expect(whole?.code == .truncated && whole?.offset == count, sourceLocation: sourceLocation)
            var decoder = IPPDecoder()
            let fed = #expect(throws: IPPDecodingError.self, sourceLocation: sourceLocation) {
                for byte in prefix { _ = try decoder.feed([byte]) }
                _ = try decoder.finish()
            }
            #expect(fed == whole, sourceLocation: sourceLocation)
        }
    }
}
