import Testing

@testable import KioskPrinterRegistry

/// Files made to hurt the parser.
@Suite struct RegistryBoundsTests {
    private func problems(_ text: String) -> [RegistryProblem] {
        do {
            _ = try Sample.registry(text)
            return []
        } catch {
            return error.problems
        }
    }

    @Test func `refuses a file that is too long`() {
        #expect(
            problems(String(repeating: "#", count: (1 << 20) + 1)).map(\.description) == [
                "printers.yaml: the file is longer than 1048576 bytes; write a shorter file"
            ])
        #expect(problems(String(repeating: "#", count: 1 << 20)).isEmpty)
    }

    enum Nesting: CaseIterable {
        case lists, mappings, dashes, questions, indentation, bracketsInLines

        var text: String {
            switch self {
            case .lists: String(repeating: "[", count: 100_000)
            case .mappings: String(repeating: "{a: ", count: 100_000)
            case .dashes: String(repeating: "- ", count: 100_000)
            case .questions: String(repeating: "? ", count: 100_000)
            case .indentation: (0..<1000).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
            case .bracketsInLines:
                (0..<1000).map { String(repeating: " ", count: $0 % 64) + "[" }.joined(separator: "\n")
            }
        }
    }

    @Test(arguments: Nesting.allCases)
    func `refuses what is nested too deeply, before parsing it`(nesting: Nesting) {
        #expect(problems(nesting.text).count == 1)
    }

    @Test func `refuses a bomb of aliases, as values and as keys`() {
        for key in ["", "? "] {
            var text = "a0: &a0 [x, x]\n"
            for level in 1..<40 { text += "\(key)a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
            text += "? *a39\n: x\n"
            #expect(!problems(text).isEmpty)
        }
    }

    @Test func `reports at most a hundred problems`() {
        let text = "printers:\n" + String(repeating: "  - {}\n", count: 5000)
        #expect(problems(text).count == 100)
    }

    @Test func `names the line that is not UTF-8`() {
        let bytes = Array("version: 1\nprinters: []\n# caf".utf8) + [0xE9, 0x0A]
        #expect(throws: RegistryError.self) { try RegistryReader.read(bytes, file: "f", profiles: nil) }
        let problems = YAMLComposer.compose(bytes, file: "f").problems
        #expect(problems.map(\.description) == ["f:3:1: the line is not UTF-8; write the file in UTF-8"])
    }

    @Test func `any cut and any changed byte of a file is read or refused, never fatal`() {
        let bytes = Array(RegistryReaderTests.whole.utf8)
        for index in bytes.indices {
            _ = try? RegistryReader.read(Array(bytes[..<index]), file: "f", profiles: nil)
            for byte in [UInt8(0), 0x0A, 0x20, 0x22, 0x27, 0x2A, 0x26, 0x3A, 0x5B, 0x7B, 0x7D, 0x80, 0xFF] {
                var changed = bytes
                changed[index] = byte
                _ = try? RegistryReader.read(changed, file: "f", profiles: nil)
            }
        }
    }
}
