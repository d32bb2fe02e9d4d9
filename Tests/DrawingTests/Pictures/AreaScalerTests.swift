import KioskReceipts
import Testing

@Suite struct AreaScalerTests {
    private func scaled(_ rows: [[UInt16]], _ width: Int, _ height: Int) -> [UInt8] {
        var scaler = AreaScaler(width: rows[0].count, height: rows.count, newWidth: width, newHeight: height)
        for row in rows { scaler.add(row[...]) }
        return scaler.picture.tones
    }

    /// Black and white side by side reflect half of the light, which is the tone 188, not 128.
    @Test func `averages light, not tones`() {
        #expect(scaled([[0, 65_535], [65_535, 0]], 1, 1) == [188])
    }

    @Test func `leaves each tone as it is without scaling`() {
        let row = ToneCurve.light
        #expect(
            scaled([row, row.reversed()], 256, 2) == (0...255).map { UInt8($0) }
                + (0...255).reversed().map { UInt8($0) })
    }

    @Test func `weighs what a new sample covers in part`() {
        // Three samples to two: each new one covers one and a half.
        let light = scaled([[65_535, 65_535, 0]], 2, 1)
        #expect(light[0] == 255)
        #expect(abs(Int(light[1]) - 156) <= 1)
    }

    @Test(arguments: [(1, 1), (7, 3), (64, 64), (3, 200)]) func `a plain picture stays plain at any size`(
        _ width: Int, _ height: Int
    ) {
        let rows = [[UInt16]](repeating: [UInt16](repeating: ToneCurve.light[100], count: 13), count: 11)
        #expect(scaled(rows, width, height) == [UInt8](repeating: 100, count: width * height))
    }

    @Test func `what was not added is white`() {
        var scaler = AreaScaler(width: 2, height: 2, newWidth: 2, newHeight: 2)
        scaler.add([0, 0])
        scaler.add([0])
        #expect(scaler.picture.tones == [0, 0, 255, 255])
    }
}
