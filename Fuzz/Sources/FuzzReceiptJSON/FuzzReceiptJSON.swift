import FuzzLoop
import KioskReceipts
import ReceiptProperties

@main enum FuzzReceiptJSON {
    static func main() { fuzz(check) }

    /// The input's length is the paper's width.
    static func check(_ bytes: [UInt8]) {
        do throws(ReceiptError) {
            let receipt = try ReceiptJSON.read(bytes, privileges: ReceiptProperties.privileges)
            ReceiptProperties.check(receipt, columns: 1 + bytes.count % 96)
        } catch {
            guard error.place != nil else { fatalError("the error has no place") }
        }
    }
}
