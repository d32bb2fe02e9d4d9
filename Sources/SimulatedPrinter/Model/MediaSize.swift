/// A medium that a printer knows: its PWG 5101.1 name, and its size in hundredths of a millimetre.
struct MediaSize: Hashable, Sendable {
    let name: String
    let width: Int32
    let length: Int32

    init(_ name: String, _ width: Int32, _ length: Int32) {
        self.name = name
        self.width = width
        self.length = length
    }

    static let a4 = MediaSize("iso_a4_210x297mm", 21000, 29700)
    static let a5 = MediaSize("iso_a5_148x210mm", 14800, 21000)
    static let letter = MediaSize("na_letter_8.5x11in", 21590, 27940)
    static let legal = MediaSize("na_legal_8.5x14in", 21590, 35560)
    static let index4x6 = MediaSize("na_index-4x6_4x6in", 10160, 15240)
    static let envelopeDL = MediaSize("iso_dl_110x220mm", 11000, 22000)
    static let hagaki = MediaSize("jpn_hagaki_100x148mm", 10000, 14800)
    static let photo5x7 = MediaSize("na_5x7_5x7in", 12700, 17780)
    static let receiptRoll80 = MediaSize("roll_receipt-80mm_80x2000mm", 8000, 200_000)
    static let receiptRoll58 = MediaSize("roll_receipt-58mm_58x2000mm", 5800, 200_000)
    static let label2x1 = MediaSize("oe_address-label_2x1in", 5080, 2540)
    static let label4x2 = MediaSize("oe_shipping-label_4x2in", 10160, 5080)
}
