import Testing

@testable import KioskSimulatedPaper

@Suite struct BitmapTests {
    private let hook = Bitmap(drawing: ["###", "#..", "..."])

    @Test func `draws at any place, and leaves out what falls outside`() {
        for x in -12...20 {
            for y in -5...6 {
                var picture = Bitmap(width: 13, height: 4)
                var expected = picture
                picture.draw(hook, x: x, y: y)
                for row in 0..<3 {
                    for column in 0..<3 where hook[column, row] { expected[x + column, y + row] = true }
                }
                #expect(picture == expected, "\(x), \(y)")
            }
        }
    }

    @Test func `turns by quarters`() {
        #expect(hook.turned(quarters: 1).drawing == [".##", "..#", "..#"])
        #expect(hook.turned(quarters: 2).drawing == ["...", "..#", "###"])
        #expect(hook.turned(quarters: 3).drawing == ["#..", "#..", "##."])
        #expect(hook.turned(quarters: 4) == hook)
        #expect(Bitmap(drawing: ["##.#"]).turnedClockwise.drawing == ["#", "#", ".", "#"])
    }

    @Test func `scales each dot to a block`() {
        #expect(
            Bitmap(drawing: ["#.", ".#"]).scaled(2, 3).drawing == ["##..", "##..", "##..", "..##", "..##", "..##"])
    }

    @Test func `reads columns from top to bottom`() {
        #expect(Bitmap(columns: [0x80, 0x01, 0xC0, 0x00], bytesPerColumn: 2).inkBounds?.y == 0...15)
        #expect(Bitmap(columns: [0x80, 0x40], bytesPerColumn: 1).drawing.prefix(2) == ["#.", ".#"])
    }

    @Test func `rows that bring too few or too many bytes become white or are left out`() {
        #expect(Bitmap(width: 9, height: 2, rows: [0xFF, 0xFF, 0x80]).drawing == ["#########", "#........"])
        #expect(Bitmap(width: 3, height: 1, rows: [0xFF, 0xFF]).bytes == [0xE0])
    }

    @Test func `has no dots outside`() {
        var picture = Bitmap(width: -3, height: 5)
        picture[0, 0] = true
        picture.fill(x: -5, y: -5, width: 100, height: 100)
        #expect(picture.isBlank)
        #expect(!Bitmap(width: 2, height: 2)[.max, .min])
    }
}
