import KioskPaperPictures
import KioskTestSupport
import Testing

@testable import KioskSimulatedPaper

@Suite struct ESCPOSColourTests {
    @Test func `what is red is black in the picture, and red in its file`() throws {
        let paper = try printed(job("b", .esc, "r", 1, "rr\n", .esc, "r", 0, "b\n"))
        #expect(paper.faults.isEmpty)
        let red = try #require(paper.red)
        #expect(red.inkBounds.map { $0.x.lowerBound >= 44 && $0.x.upperBound < 68 && $0.y.upperBound < 24 } == true)
        #expect(paper.picture == (try printed(job("brr\nb\n"))).picture)
        #expect(try printed(job("b\n")).red == nil)
        let file = PNGFile.bytes(paper, dotsPerInch: 203)
        #expect(file.count > 100 && file != PNGFile.bytes(paper.picture, dotsPerInch: 203))
        #expect(PNGFile.bytes(try printed(job("b\n")), dotsPerInch: 203).count > 100)
    }

    @Test func `graphics have a second colour`() throws {
        func plane(_ colour: UInt8, _ dots: UInt8) -> [UInt8] {
            job(.gs, "(L", .block([48, 112, 48, 1, 1, colour, 8, 0, 1, 0, dots].part))
        }
        let paper = try printed(plane(49, 0xF0) + plane(50, 0x0F) + job(.gs, "(L", .block(48, 50)))
        #expect(paper.faults.isEmpty)
        #expect(paper.picture.inkBounds?.x == 32...39)
        #expect(paper.red?.inkBounds?.x == 36...39)
        #expect(try printed(job(.gs, "(N", .block(48, 50), "r\n")).red != nil)
        #expect(try printed(job(.gs, "(N", .block(49, 50), "r\n")).faults.count == 1)
        #expect(try printed(job(.esc, "L", .esc, "r", 1)).faults.count == 2)
        let stored = job(.gs, "(L", .block([48, 67, 48, 65, 65, 1, 8, 0, 1, 0, 50, 0xFF].part))
        #expect(try printed(stored).faults.map { $0.line.contains("colour 2 will be black") } == [true])
    }

    @Test func `another program reads the colours of the file`() async throws {
        guard let python = PythonPeers.python else { return }
        let paper = try printed(job(.esc, "r", 1, .gs, "B", 1, "xx\n"))
        let folder = try TemporaryFolder("colours")
        let file = try folder.write(PNGFile.bytes(paper, dotsPerInch: 203), to: "paper.png")
        let script = """
            import sys
            from PIL import Image
            print(sorted(c for _, c in Image.open(sys.argv[1]).convert("RGB").getcolors()))
            """
        let result = try await ChildProcess.run(python, ["-c", script, file])
        #expect(result.standardOutput == "[(200, 0, 0), (255, 255, 255)]\n")
    }
}
