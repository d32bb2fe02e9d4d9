import KioskDevicePrinting
import KioskPrintModel
import KioskTestSupport
import Testing

/// The status requests within a document.
@Suite struct AnswerCounterTests {
    private static func count(_ bytes: [UInt8], _ language: DeviceSettings.Language?) -> Int {
        var counter = StatusRequestCounter(language)
        counter.read(bytes[...])
        var dripped = StatusRequestCounter(language)
        for byte in bytes { dripped.read([byte]) }
        #expect(counter.count == dripped.count)
        return counter.count
    }

    @Test(
        arguments: [
            ([0x1D, 0x72, 0x01], 1), ([0x1D, 0x72, 0x32, 0x1D, 0x72, 0x02], 2), ([0x1D, 0x49, 0x01], 1),
            ([0x1B, 0x76], 1),
            ([0x1B, 0x75, 0x00], 1), ([0x1D, 0x72], 0), ([0x1D, 0x72, 0x00], 0), ([0x1D, 0x49, 0x43], 0),
            // Real-time and named responses cannot be confused with the awaited one.
            ([0x10, 0x04, 0x01, 0x1D, 0x28, 0x48, 0x06, 0x00, 0x30, 0x30, 0x41, 0x41, 0x41, 0x41], 0),
        ] as [([UInt8], Int)])
    func `ESC/POS`(_ bytes: [UInt8], _ expected: Int) { #expect(Self.count(bytes, .escPOS) == expected) }

    private static let etb: UInt8 = 0x17
    private static let beginRaster: [UInt8] = [0x1B, 0x2A, 0x72, 0x41]
    private static let endRaster: [UInt8] = [0x1B, 0x2A, 0x72, 0x42]

    @Test func `Star's ETB counts outside raster data only`() {
        let rows: [UInt8] = [0x62, 2, 0, Self.etb, Self.etb, 0x6B, 1, 1] + [UInt8](repeating: Self.etb, count: 257)
        let quality: [UInt8] = [0x1B, 0x2A, 0x72, 0x51, 0x31, 0x00]
        let picture = Self.beginRaster + quality + rows + [0x62, 0, 0] + [0x1B, 0x0C, 0x04] + Self.endRaster
        #expect(Self.count([Self.etb] + picture + [Self.etb] + picture + [0x41, Self.etb], .starLine) == 3)
        #expect(Self.count(rows, .starLine) == 259, "no raster mode")
    }

    @Test func `Star's raster mode that is not understood hides no ETB`() {
        #expect(Self.count(Self.beginRaster + [0x41, 0x62, 9, 0, Self.etb], .starLine) == 1)
        #expect(Self.count(Self.beginRaster + Self.endRaster + [0x62, 9, 0, Self.etb], .starLine) == 1)
        #expect(Self.count(Self.beginRaster + [0x1B, 0x40, 0x62, 9, 0, Self.etb], .starLine) == 1)
    }

    /// The scanner skips eight bytes at a time where none of them counts.
    @Test(arguments: [DeviceSettings.Language.escPOS, .starLine], 0..<20)
    func `wherever a question stands among any bytes, it counts`(_ language: DeviceSettings.Language, _ seed: UInt64) {
        var generator = SeededRandom(seed)
        let rare: [UInt8] = [0x1B, 0x1D, 0x75, 0x76, 0x72, 0x49, 0x00, 0x01, 0x30]
        for share in [2, 8, 64, 4096] {
            var bytes = (0..<3000).map { _ in
                Int.random(in: 0..<share, using: &generator) == 0
                    ? rare.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
            }
            bytes.insert(
                contentsOf: language == .escPOS ? [0x1D, 0x72, 0x01] : [Self.etb],
                at: Int.random(in: 0...3000, using: &generator))
            #expect(Self.count(bytes, language) > 0)
        }
    }

    @Test func `without a language nothing is asked, and so nothing counted`() {
        #expect(Self.count([0x1D, 0x72, 0x01, Self.etb], nil) == 0)
    }
}
