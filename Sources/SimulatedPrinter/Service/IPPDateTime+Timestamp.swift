import IPPCodec
import PrintModel

extension IPPDateTime {
    /// A moment in UTC, cut to tenths of a second.
    init(_ moment: Timestamp) {
        // "2026-11-21T03:40:00.123Z": the figures stand at fixed places.
        let digits = moment.description.utf8.compactMap { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt16(byte - UInt8(ascii: "0")) : nil
        }
        func number(_ first: Int, _ count: Int) -> UInt16 {
            digits.dropFirst(first).prefix(count).reduce(0) { $0 &* 10 &+ $1 }
        }
        self.init(
            year: number(0, 4), month: UInt8(number(4, 2)), day: UInt8(number(6, 2)), hour: UInt8(number(8, 2)),
            minute: UInt8(number(10, 2)), second: UInt8(number(12, 2)), deciSecond: UInt8(number(14, 1)))
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
