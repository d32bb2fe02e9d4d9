import KioskSimulatedPaper

/// Reads the commands of EPL2 and TSPL that the encoder uses: settings in lines of text, and pictures in bytes.
struct LabelReader {
    private var rest: ArraySlice<UInt8>
    private(set) var labels: [Bitmap] = []

    /// `GWx,y,bytes of a row,rows,` or `BITMAP x,y,bytes of a row,rows,mode,` and then the bytes, in which 0 is black.
    init(_ bytes: [UInt8], width: Int, height: Int) {
        rest = bytes[...]
        var label = Bitmap(width: width, height: height)
        while !rest.isEmpty {
            let fields = rest.starts(with: "GW".utf8) ? 4 : rest.starts(with: "BITMAP ".utf8) ? 5 : 0
            guard fields > 0 else {
                let line = takeLine()
                if line.hasPrefix("P1") || line.hasPrefix("PRINT") {
                    labels.append(label)
                    label = Bitmap(width: width, height: height)
                }
                continue
            }
            let head = takeFields(fields)
            guard head.count == fields else { return }
            let count = head[2] * head[3]
            let picture = Bitmap(
                width: head[2] * 8, height: head[3], rows: rest.prefix(count).map { ~$0 })
            label.draw(picture, x: head[0], y: head[1])
            rest = rest.dropFirst(count)
        }
    }

    private mutating func takeLine() -> String {
        let line = rest.prefix { $0 != 0x0A }
        rest = rest.dropFirst(line.count + 1)
        return String(decoding: line.filter { $0 != 0x0D }, as: UTF8.self)
    }

    private mutating func takeFields(_ count: Int) -> [Int] {
        var (text, commas): ([UInt8], Int) = ([], 0)
        while commas < count, let byte = rest.popFirst() {
            text.append(byte)
            if byte == UInt8(ascii: ",") { commas += 1 }
        }
        return String(decoding: text, as: UTF8.self).split(separator: ",").compactMap { Int($0.filter(\.isNumber)) }
    }
}
