import Glibc
import PrintModel
import Testing

@testable import Receipts

/// The tables beside the C library's own.
@Suite struct CodePageIconvTests {
    @Test(arguments: CodePage.allCases.filter { $0 != .katakana }) func `a page has what iconv has in it`(
        _ page: CodePage
    ) throws {
        let name = page.rawValue.hasPrefix("windows-") ? "CP" + page.rawValue.dropFirst(8) : page.rawValue.uppercased()
        let descriptor = try #require(iconv_open("UTF-32LE", name))
        try #require(descriptor != iconv_t(bitPattern: -1), "the C library has no \(name)")
        defer { iconv_close(descriptor) }
        let places = Array(page.upperHalf.unicodeScalars)
        try #require(places.count == 128)
        for (index, place) in places.enumerated() {
            #expect(place == Self.scalar(UInt8(0x80 + index), descriptor) ?? "?", "at \(0x80 + index)")
        }
    }

    /// Nil for what stands for nothing, or for a control character.
    private static func scalar(_ byte: UInt8, _ descriptor: iconv_t) -> Unicode.Scalar? {
        // A character that may yet combine comes out at the next call.
        iconv(descriptor, nil, nil, nil, nil)
        var (input, output) = ([CChar(bitPattern: byte)], [CChar](repeating: 0, count: 8))
        var left = (input: 1, output: output.count)
        let failed = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                var (from, to) = (source.baseAddress, target.baseAddress)
                let result = iconv(descriptor, &from, &left.input, &to, &left.output)
                return result != 0 || iconv(descriptor, nil, nil, &to, &left.output) != 0
            }
        }
        guard !failed, left.output == 4 else { return nil }
        let scalar = Unicode.Scalar(
            output.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(UInt8(bitPattern: $1)) })
        return scalar?.properties.generalCategory == .control ? nil : scalar
    }
}
