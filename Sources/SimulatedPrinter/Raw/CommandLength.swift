/// How long the commands of receipt printers are, so that their data is not taken for commands.
enum CommandLength {
    /// More bytes are needed to tell.
    case unknown
    case bytes(Int)
    /// It ends with a NUL.
    case untilNull
}

extension CommandLength {
    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// A command whose data begins behind `count` bytes at `start` that say how long it is.
    private static func lengthPrefixed(_ head: [UInt8], at start: Int, _ count: Int) -> CommandLength {
        guard head.count >= start + count else { return .unknown }
        return .bytes(start + count + littleEndian(head[start..<start + count]))
    }

    private static func byte(_ character: Unicode.Scalar) -> UInt8 { UInt8(ascii: character) }

    // MARK: ESC/POS (Epson, "ESC/POS Command Reference")

    /// The length of the ESC/POS command that begins with these bytes; 1 for a character.
    static func escPOS(_ head: [UInt8]) -> CommandLength {
        guard [0x10, 0x1B, 0x1C, 0x1D].contains(head[0]) else { return .bytes(1) }
        guard head.count >= 2 else { return .unknown }
        switch head[0] {
        case 0x10: return realTime(head)
        case 0x1B: return esc(head)
        case 0x1C: return fs(head)
        default: return gs(head)
        }
    }

    private static func realTime(_ head: [UInt8]) -> CommandLength {
        guard head[1] == 0x14 else { return .bytes(3) }
        guard head.count >= 3 else { return .unknown }
        return .bytes(head[2] == 8 ? 10 : head[2] == 7 ? 4 : 5)
    }

    private static func esc(_ head: [UInt8]) -> CommandLength {
        switch head[1] {
        case 0x0C: return .bytes(2)
        case let command where "@2<LSimv".utf8.contains(command): return .bytes(2)
        case let command where "$\\c".utf8.contains(command): return .bytes(4)
        case byte("p"): return .bytes(5)
        case byte("W"): return .bytes(10)
        case byte("D"): return .untilNull
        case byte("("): return lengthPrefixed(head, at: 3, 2)
        case byte("*"):
            // Columns of one byte, or of three in the 24-dot modes.
            guard head.count >= 5 else { return .unknown }
            return .bytes(5 + littleEndian(head[3..<5]) * (head[2] >= 32 ? 3 : 1))
        default: return .bytes(3)
        }
    }

    private static func gs(_ head: [UInt8]) -> CommandLength {
        switch head[1] {
        case byte(":"): return .bytes(2)
        case let command where "$\\LWP".utf8.contains(command): return .bytes(4)
        case let command where "^z".utf8.contains(command): return .bytes(5)
        case byte("("): return lengthPrefixed(head, at: 3, 2)
        case byte("8"): return lengthPrefixed(head, at: 3, 4)
        case byte("*"): return head.count < 4 ? .unknown : .bytes(4 + Int(head[2]) * Int(head[3]) * 8)
        case byte("v"), byte("Q"):
            return head.count < 8 ? .unknown : .bytes(8 + littleEndian(head[4..<6]) * littleEndian(head[6..<8]))
        case byte("V"):
            return head.count < 3 ? .unknown : .bytes("ABabgh".utf8.contains(head[2]) ? 4 : 3)
        case byte("k"):
            return head.count < 3 ? .unknown : head[2] <= 6 ? .untilNull : lengthPrefixed(head, at: 3, 1)
        default: return .bytes(3)
        }
    }

    private static func fs(_ head: [UInt8]) -> CommandLength {
        switch head[1] {
        case let command where "&.".utf8.contains(command): .bytes(2)
        case let command where "Sp?".utf8.contains(command): .bytes(4)
        case byte("2"): .bytes(4 + 72)
        case byte("("): lengthPrefixed(head, at: 3, 2)
        default: .bytes(3)
        }
    }

    // MARK: Star (Star, "STAR Line Mode Command Specifications")

    /// The length of the Star command that begins with these bytes; 1 for a character.
    static func star(_ head: [UInt8], inRasterMode: Bool) -> CommandLength {
        // In raster mode a line is "b" or "k", its length, and dots.
        if inRasterMode, "bk".utf8.contains(head[0]) { return lengthPrefixed(head, at: 1, 2) }
        guard head[0] == 0x1B else { return .bytes(1) }
        guard head.count >= 2 else { return .unknown }
        switch head[1] {
        case let command where "@245EFPM".utf8.contains(command): return .bytes(2)
        case 0x1E: return .bytes(4)
        case byte("K"), byte("L"): return lengthPrefixed(head, at: 2, 2)
        case byte("k"): return head.count < 4 ? .unknown : .bytes(4 + Int(head[2]) * 24)
        case byte("X"): return head.count < 4 ? .unknown : .bytes(4 + littleEndian(head[2..<4]) * 3)
        case byte("D"): return .untilNull
        // Entering, leaving and clearing raster mode has no setting behind it.
        case byte("*"): return head.count < 4 ? .unknown : "ABCR".utf8.contains(head[3]) ? .bytes(4) : .untilNull
        case 0x1D:
            guard head.count >= 3 else { return .unknown }
            // Raster graphics: ESC GS S m xL xH yL yH n, with x bytes in each of y lines.
            if head[2] == byte("S") {
                return head.count < 9 ? .unknown : .bytes(9 + littleEndian(head[4..<6]) * littleEndian(head[6..<8]))
            }
            return .bytes("AR".utf8.contains(head[2]) ? 5 : 4)
        default: return .bytes(3)
        }
    }
}
