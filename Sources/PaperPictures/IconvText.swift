import Glibc
package import SimulatedPaper

/// East Asian character sets as the C library's iconv knows them.
package struct IconvText: WideTextDecoder {
    package init() {}

    package func scalar(_ bytes: [UInt8], in set: WideCharacterSet) -> Unicode.Scalar? {
        // JIS X 0208 is EUC-JP without the high bits.
        let encoded = set == .jis ? bytes.map { $0 | 0x80 } : bytes
        let descriptor = iconv_open("UTF-32LE", set == .jis ? "EUC-JP" : set.rawValue)
        guard let descriptor, descriptor != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(descriptor) }
        var input = encoded.map(CChar.init(bitPattern:))
        var output = [CChar](repeating: 0, count: 8)
        let (inputCount, outputCount) = (input.count, output.count)
        var left = (input: inputCount, output: outputCount)
        let result = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                var (from, to) = (source.baseAddress, target.baseAddress)
                return iconv(descriptor, &from, &left.input, &to, &left.output)
            }
        }
        guard result == 0, left.input == 0, left.output == outputCount - 4 else { return nil }
        return Unicode.Scalar(output.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(UInt8(bitPattern: $1)) })
    }
}
