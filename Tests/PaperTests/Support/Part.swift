import KioskTestSupport

/// A piece of what a printer is sent: text as ASCII, a number as a byte, a list as bytes.
struct Part: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    init(stringLiteral text: String) { bytes = Array(text.utf8) }
    init(integerLiteral byte: UInt8) { bytes = [byte] }
    init(arrayLiteral bytes: UInt8...) { self.bytes = bytes }

    static let esc: Part = 0x1B, gs: Part = 0x1D, fs: Part = 0x1C, dle: Part = 0x10

    /// So many bytes behind two that count them.
    static func block(_ parts: Part...) -> Part {
        let bytes = parts.flatMap(\.bytes)
        return Part([UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)] + bytes)
    }

    static func text(_ text: String) -> Part { Part(Array(text.utf8)) }
}

func job(_ parts: Part...) -> [UInt8] { parts.flatMap(\.bytes) }

extension [UInt8] {
    var part: Part { Part(self) }
}

/// Random bytes with some beginnings of commands.
enum Noise {
    static func bytes(_ seed: Int, starts: [[UInt8]]) -> [UInt8] {
        var random = SeededRandom(UInt64(seed))
        var bytes: [UInt8] = []
        for _ in 0..<600 {
            if Bool.random(using: &random) { bytes += starts.randomElement(using: &random) ?? [] }
            let isSmall = Bool.random(using: &random)
            bytes += (0..<Int.random(in: 0...6, using: &random)).map { _ in
                UInt8.random(in: 0...(isSmall ? 60 : 255), using: &random)
            }
        }
        return bytes
    }
}
