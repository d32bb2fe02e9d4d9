/// Validates GTINs, the numbers of trade items: the last digit checks the others (GS1 General Specifications §7.9).
enum GTIN {
    /// Validates an EAN of 12 or 13 digits, or of 7 or 8. Adds a missing check digit and refuses a wrong one.
    static func ean(_ data: String) throws(ReceiptError) -> (CheckedCode.Kind, String) {
        switch data.utf8.count {
        case 12, 13: (.ean13, try completed(data, 12, "EAN-13"))
        case 7, 8: (.ean8, try completed(data, 7, "EAN-8"))
        default:
            throw CheckedCode.invalid(
                "an EAN has 13 or 8 digits, or one less without its check digit", "that many digits")
        }
    }

    /// Validates a UPC of 11 or 12 digits, or of 6 to 8. Adds a missing check digit and refuses a wrong one.
    static func upc(_ data: String) throws(ReceiptError) -> (CheckedCode.Kind, String) {
        switch data.utf8.count {
        case 11, 12: (.upcA, try completed(data, 11, "UPC-A"))
        case 6: (.upcE, try zeroSuppressed("0" + data))
        case 7, 8: (.upcE, try zeroSuppressed(data))
        default:
            throw CheckedCode.invalid(
                "a UPC has 12 or 8 digits, or one less without its check digit", "that many digits")
        }
    }

    /// The data with its check digit, which follows `count` digits.
    private static func completed(_ data: String, _ count: Int, _ name: String) throws(ReceiptError) -> String {
        guard data.isDigits else { throw CheckedCode.invalid("\(name) holds digits only", "digits") }
        let digits = data.utf8.map { Int($0 &- 0x30) }
        return try checked(data, checkDigit(of: digits.prefix(count)), count, name)
    }

    private static func checked(
        _ data: String, _ check: Int, _ count: Int, _ name: String
    ) throws(ReceiptError) -> String {
        guard data.utf8.count > count else { return data + String(check) }
        guard data.utf8.last == UInt8(0x30 + check) else {
            throw CheckedCode.invalid(
                "the check digit of this \(name) is wrong",
                "\(data.prefix(count))\(check), or correct the digits before it")
        }
        return data
    }

    /// A UPC-E with its check digit: number system 0, six digits, and the check digit of the UPC-A that they stand for.
    private static func zeroSuppressed(_ data: String) throws(ReceiptError) -> String {
        guard data.isDigits, data.utf8.first == 0x30 else {
            throw CheckedCode.invalid("a UPC-E holds digits only and begins with 0", "digits, with a 0 in front")
        }
        let digits = data.utf8.map { Int($0 &- 0x30) }
        return try checked(data, checkDigit(of: expanded(Array(digits.dropFirst().prefix(6)))[...]), 7, "UPC-E")
    }

    /// The eleven digits before the check digit of the UPC-A. The last of the six digits says where its zeros are.
    private static func expanded(_ six: [Int]) -> [Int] {
        guard six.count == 6 else { return [] }
        let (head, last) = (six.prefix(5), six[5])
        return switch last {
        case 0...2: [0] + head.prefix(2) + [last, 0, 0, 0, 0] + head.suffix(3)
        case 3: [0] + head.prefix(3) + [0, 0, 0, 0, 0] + head.suffix(2)
        case 4: [0] + head.prefix(4) + [0, 0, 0, 0, 0] + head.suffix(1)
        default: [0] + head + [0, 0, 0, 0, last]
        }
    }

    /// The check digit. Counted from the right, every other digit has the weight three.
    private static func checkDigit(of digits: ArraySlice<Int>) -> Int {
        let sum = digits.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset.isMultiple(of: 2) ? 3 : 1) }
        return (10 - sum % 10) % 10
    }
}
