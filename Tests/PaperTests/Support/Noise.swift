import TestSupport

/// Random bytes that look like commands now and then.
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
