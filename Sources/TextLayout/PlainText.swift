/// The lines of a text file, without what terminals and printers would obey.
package struct PlainText: Hashable, Sendable {
    /// The lines in UTF-8, without line ends. Nothing of them is below 0x20 but tabs.
    package private(set) var lines: [[UInt8]] = []
    /// The indices of lines that begin a page (form feed), ascending.
    package private(set) var pageStarts: [Int] = []
    /// Whether the file is not UTF-8 (nor marked as UTF-16), and was read as Windows-1252, which contains Latin-1.
    package private(set) var isLatin1 = false

    /// Reads a file. More than `maximumLines` lines are cut off: a caller refuses them by their count.
    package init(_ file: [UInt8], maximumLines: Int) {
        let text: [UInt8]
        if file.starts(with: [0xEF, 0xBB, 0xBF]) {
            text = Array(file.dropFirst(3))
        } else if file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF]) {
            text = Self.fromUTF16(file.dropFirst(2), isLittleEndian: file[0] == 0xFF)
        } else {
            text = file
        }
        isLatin1 = String(validating: text, as: UTF8.self) == nil
        read(isLatin1 ? Self.fromWindows1252(text) : text, maximumLines)
    }

    private mutating func read(_ text: [UInt8], _ maximumLines: Int) {
        var line: [UInt8] = []
        var place = 0
        // Whether something came after the last line end.
        var isOpen = false
        func end(_ line: inout [UInt8], _ lines: inout [[UInt8]]) {
            lines.append(line)
            line.removeAll(keepingCapacity: true)
        }
        while place < text.count, lines.count <= maximumLines {
            let byte = text[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\n"), 0x0B:
                end(&line, &lines)
                isOpen = false
            case UInt8(ascii: "\r"):
                if place < text.count, text[place] == UInt8(ascii: "\n") { place += 1 }
                end(&line, &lines)
                isOpen = false
            case 0x0C:
                if isOpen { end(&line, &lines) }
                isOpen = false
                if pageStarts.count <= maximumLines { pageStarts.append(lines.count) }
            case 0x1B: place = Self.endOfEscape(in: text, from: place)
            case 0x08:
                // What is struck over, as by nroff, shows its last character.
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            case UInt8(ascii: "\t"), 0x20...0x7E, 0x80...0xFF:
                line.append(byte)
                isOpen = true
            default: break
            }
        }
        if isOpen { end(&line, &lines) }
    }

    /// Longer sequences are none.
    private static let maximumEscape = 4096

    /// The place behind a control sequence (ECMA-48 §5.3, §5.4) whose ESC stands before `start`.
    private static func endOfEscape(in text: [UInt8], from start: Int) -> Int {
        guard start < text.count else { return start }
        var place = start + 1
        let end = min(text.count, start + maximumEscape)
        switch text[start] {
        case UInt8(ascii: "["):
            while place < end, (0x20...0x3F).contains(text[place]) { place += 1 }
            return place < end && (0x40...0x7E).contains(text[place]) ? place + 1 : place
        // Strings: DCS, SOS, OSC, PM and APC, up to ST or, as in xterm, BEL.
        case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            while place < end, text[place] != 0x07, text[place] != 0x1B { place += 1 }
            if place < end, text[place] == 0x07 { return place + 1 }
            if place + 1 < end, text[place + 1] == UInt8(ascii: "\\") { return place + 2 }
            // Another sequence before its end, or none: it was no string.
            return start + 1
        case 0x20...0x2F:
            while place < end, (0x20...0x2F).contains(text[place]) { place += 1 }
            return place < end && (0x30...0x7E).contains(text[place]) ? place + 1 : place
        case 0x30...0x7E: return place
        // No sequence: what follows is text.
        default: return start
        }
    }

    private static func fromUTF16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> [UInt8] {
        let bytes = Array(bytes)
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for place in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            units.append(isLittleEndian ? second << 8 | first : first << 8 | second)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func fromWindows1252(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            switch byte {
            case ..<0x80: text.append(byte)
            case 0x80..<0xA0: text += String(windows1252[Int(byte) - 0x80]).utf8
            default: text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
            }
        }
        return text
    }

    /// The characters from 0x80 to 0x9F; a blank where there is none.
    private static let windows1252 = Array("€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ")
}
