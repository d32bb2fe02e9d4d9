/// Reads raster pages in PCL 5e strictly by Hewlett-Packard's "PCL 5 Printer Language Technical Reference Manual" and
/// "Printer Job Language Technical Reference Manual": what it does not know is an error. No program that Debian has
/// draws PCL, so this is written without a look at the encoder.
struct PCLReader {
    /// A page that came out.
    struct Page: Hashable {
        var size = 0
        var dpi = 0
        /// 0 one side, 1 turned at the long edge, 2 at the short edge.
        var sides = 0
        var source: Int?
        var copies = 1
        var isBack = false
        /// The width that was set for the raster area, and its rows of bits, white ones too.
        var width = 0
        var rows: [[UInt8]] = []
        /// How often each method was used.
        var methods: [Int: Int] = [:]
    }

    struct Fault: Error, Hashable { var words: String }

    /// The lines of PJL, without `@PJL`.
    private(set) var jobLines: [String] = []
    private(set) var pages: [Page] = []
    /// Whether the document leaves the printer's language at its end, as it is to do where it entered it by PJL.
    private(set) var endsLanguage = false

    private let bytes: [UInt8]
    private var position = 0
    private var page = Page()
    private var isMarked = false
    private var isInRaster = false
    private var method = 0
    private var height: Int?
    private var seed: [UInt8] = []

    init(_ bytes: [UInt8]) throws(Fault) {
        self.bytes = bytes
        try read()
    }

    private func fault(_ words: String) -> Fault { Fault(words: "\(words) at byte \(position)") }

    private mutating func next() throws(Fault) -> UInt8 {
        guard position < bytes.count else { throw fault("the end") }
        defer { position += 1 }
        return bytes[position]
    }

    private func has(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func read() throws(Fault) {
        if has("\u{1B}%-12345X") { try readPJL() }
        guard has("\u{1B}E") else { throw fault("no reset") }
        while position < bytes.count {
            if has("\u{1B}%-12345X") {
                position += 9
                endsLanguage = true
                guard position == bytes.count else { throw fault("bytes behind the end") }
                break
            }
            switch try next() {
            case 0x1B: try readCommand()
            case 0x0C: eject(isForced: true)
            default: throw fault("a character outside a command")
            }
        }
        guard !isMarked, !isInRaster else { throw fault("a page that is not ejected") }
    }

    private mutating func readPJL() throws(Fault) {
        position += 9
        while has("@PJL") {
            guard let end = bytes[position...].firstIndex(of: 0x0A), bytes[end - 1] == 0x0D else {
                throw fault("a line of PJL without an end")
            }
            jobLines.append(
                String(decoding: bytes[position + 4..<end - 1], as: UTF8.self).drop { $0 == " " }.description)
            position = end + 1
        }
        guard jobLines.last == "ENTER LANGUAGE=PCL" else { throw fault("another language") }
    }

    /// A command of two characters, or a parameterized one: several may follow the same two characters.
    private mutating func readCommand() throws(Fault) {
        let first = try next()
        guard (0x21...0x2F).contains(first) else {
            guard first == UInt8(ascii: "E") else { throw fault("an unknown command") }
            eject(isForced: false)
            (page, method, height, isInRaster) = (Page(), 0, nil, false)
            return
        }
        let group = try next()
        while true {
            var digits = ""
            while position < bytes.count, (0x2B...0x39).contains(bytes[position]) {
                digits.append(Character(Unicode.Scalar(try next())))
            }
            let end = try next()
            guard let value = digits.isEmpty ? 0 : Int(digits) else { throw fault("a number that is none") }
            let name = String(decoding: [first, group, end & ~0x20], as: UTF8.self)
            try carryOut(name, value)
            if (0x40...0x5E).contains(end) { return }
            guard (0x60...0x7E).contains(end) else { throw fault("a command without an end") }
        }
    }

    private mutating func carryOut(_ name: String, _ value: Int) throws(Fault) {
        if isInRaster, !["*bM", "*bW", "*bY", "*rC", "*rB"].contains(name) {
            throw fault("\(name) ends the raster graphics")
        }
        switch name {
        case "&lX": page.copies = value
        case "&lA":
            // It ejects the page, and goes back to the first side.
            eject(isForced: false)
            (page.size, page.isBack) = (value, false)
        case "&lO", "&lE", "&lL": guard value == 0 else { throw fault("\(name)\(value)") }
        case "&lS": page.sides = value
        case "&lH": page.source = value
        case "&aG":
            guard page.sides != 0, value == 1 || value == 2 else { throw fault("no other side") }
            eject(isForced: false)
            page.isBack = value == 2
        case "*tR": page.dpi = value
        case "*rF", "*pX", "*pY": guard value == 0 else { throw fault("\(name)\(value)") }
        case "*rS": page.width = value
        case "*rT": height = value
        case "*rA":
            isInRaster = true
            // The seed row is cleared.
            seed = []
            page.rows = []
        case "*rC":
            (isInRaster, method) = (false, 0)
            let white = [UInt8](repeating: 0, count: (page.width + 7) / 8)
            if let height {
                while page.rows.count < height { page.rows.append(white) }
            }
        case "*bM":
            guard [2, 3].contains(value) else { throw fault("method \(value)") }
            method = value
        case "*bY":
            for _ in 0..<value { try add([]) }
        case "*bW":
            guard isInRaster, value <= 32_767, position + value <= bytes.count else { throw fault("a row") }
            let data = Array(bytes[position..<position + value])
            position += value
            page.methods[method, default: 0] += 1
            isMarked = true
            try add(method == 2 ? try unpacked(data) : method == 3 ? try changed(data) : data)
        default: throw fault("the unknown command \(name)")
        }
    }

    private mutating func add(_ row: [UInt8]) throws(Fault) {
        let count = (page.width + 7) / 8
        guard let height, page.rows.count < height else { throw fault("a row below the raster area") }
        guard row.count <= count else { throw fault("a row that is too long") }
        // What is not there is white.
        let row = row + [UInt8](repeating: 0, count: count - row.count)
        guard page.width & 7 == 0 || row[count - 1] & (0xFF >> UInt8(page.width & 7)) == 0 else {
            throw fault("dots beyond the width")
        }
        page.rows.append(row)
        seed = row
    }

    /// Method 2: "TIFF Packbits".
    private func unpacked(_ data: [UInt8]) throws(Fault) -> [UInt8] {
        var row: [UInt8] = []
        var index = 0
        while index < data.count {
            let control = Int(Int8(bitPattern: data[index]))
            index += 1
            if control >= 0 {
                guard index + control < data.count else { throw fault("a literal that is cut short") }
                row += data[index...index + control]
                index += control + 1
            } else if control != -128 {
                guard index < data.count else { throw fault("a run without its byte") }
                row += repeatElement(data[index], count: 1 - control)
                index += 1
            }
        }
        return row
    }

    /// Method 3: "Delta Row". The replaced bytes begin so many bytes behind the last ones.
    private func changed(_ data: [UInt8]) throws(Fault) -> [UInt8] {
        var row = seed + [UInt8](repeating: 0, count: max((page.width + 7) / 8 - seed.count, 0))
        var index = 0
        var place = 0
        while index < data.count {
            let count = Int(data[index] >> 5) + 1
            var offset = Int(data[index] & 31)
            index += 1
            if offset == 31 {
                var more = 255
                while more == 255 {
                    guard index < data.count else { throw fault("an offset that is cut short") }
                    more = Int(data[index])
                    offset += more
                    index += 1
                }
            }
            place += offset
            guard index + count <= data.count, place + count <= row.count else { throw fault("a change") }
            row.replaceSubrange(place..<place + count, with: data[index..<index + count])
            place += count
            index += count
        }
        return row
    }

    /// Ends the page: always by a form feed, by other commands where something is on it.
    private mutating func eject(isForced: Bool) {
        guard isForced || isMarked else { return }
        pages.append(page)
        isMarked = false
        page.rows = []
        page.methods = [:]
        if page.sides != 0 { page.isBack.toggle() }
    }
}
