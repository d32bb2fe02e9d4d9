/// The bounds of a JSON body's structure. Decoding takes memory for each value and name, far more than their text:
/// millions of them in a body that is allowed would take gigabytes. This API's bodies have long strings and few values.
package enum JSONStructure {
    /// Values and names together.
    package static let maximumCount = 20_000
    package static let maximumDepth = 32

    /// Counts values and depth outside of strings, and leaves everything else to the decoder.
    package static func check(
        _ bytes: some Collection<UInt8>, maximumCount: Int = maximumCount
    ) throws(Problem) {
        var (count, depth, inText, isEscaped) = (0, 0, false, false)
        for byte in bytes {
            if inText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"): (count, depth) = (count + 1, depth + 1)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"): count += 1
            default: break
            }
            guard count <= maximumCount else {
                throw Problem(
                    .invalidJSON, detail: "the JSON has more than \(maximumCount) values; send less in one request")
            }
            guard depth <= maximumDepth else {
                throw Problem(
                    .invalidJSON, detail: "the JSON is nested more than \(maximumDepth) deep; send it flatter")
            }
        }
    }
}
