import FuzzLoop
import KioskReceipts
import ReceiptProperties

@main enum FuzzReceiptMarkup {
    static func main() { fuzz(check) }

    /// The input's length is the paper's width.
    static func check(_ bytes: [UInt8]) {
        for isStrict in [false, true] {
            let rules = ReceiptMarkup.Rules(isStrict: isStrict, privileges: ReceiptProperties.privileges)
            do throws(ReceiptError) {
                let reading = try ReceiptMarkup.read(bytes, rules: rules)
                ReceiptProperties.check(reading.receipt, columns: 1 + bytes.count % 96)
            } catch {
                guard error.place != nil else { fatalError("the error has no place") }
            }
        }
    }
}
