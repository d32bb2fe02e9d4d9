/// The check number of a receipt's lines: FNV-1a over their bytes, as eight hexadecimal digits.
public func checkNumber(of lines: [String]) -> String {
    var hash: UInt32 = 2_166_136_261
    for byte in lines.joined(separator: "\n").utf8 {
        hash = (hash ^ UInt32(byte)) &* 16_777_619
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
