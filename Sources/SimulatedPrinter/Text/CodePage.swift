import PrintModel

/// What bytes from 0x80 up mean in text that is not UTF-8.
struct CodePage {
    private let upperHalf: [Character]

    /// The parameter of ESC t; pages that are not known here show as PC437.
    init(_ page: UInt8) {
        switch page {
        case 2, 19: self = .pc858
        default: self = .pc437
        }
    }

    private init(_ upperHalf: String) { self.upperHalf = Array(upperHalf) }

    static let pc437 = CodePage(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ")
    static let pc858 = CodePage(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀"
            + "ÓßÔÒõÕµþÞÚÛÙýÝ¯´­±‗¾¶§÷¸°¨·¹³²■ ")

    /// UTF-8 where the bytes are UTF-8, as modern receipts often are; else by the page.
    func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text.withoutControlCharacters }
        return String(
            bytes.map { byte -> Character in
                guard byte >= 0x80 else { return Character(Unicode.Scalar(byte)) }
                let index = Int(byte) - 0x80
                return index < upperHalf.count ? upperHalf[index] : "?"
            }
        ).withoutControlCharacters
    }
}
