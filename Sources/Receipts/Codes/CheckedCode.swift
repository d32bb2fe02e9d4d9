/// A code whose data was found to fit its symbology, with what its size follows from.
package struct CheckedCode: Hashable, Sendable {
    package var kind: Kind
    /// What is encoded, its check digit included where the symbology has one for all to see.
    package var text: String

    package enum Kind: Hashable, Sendable {
        case upcA, upcE, ean13, ean8, code39, itf, codabar, code93
        case code128([Code128.Codeword])
        case qr(version: Int)
        case pdf417(codewords: Int, level: Int)
        case dataMatrix(side: Int)
    }

    /// Throws what is wrong with the data, and what would do.
    package init(_ code: ReceiptCode) throws(ReceiptError) {
        let data = code.data
        guard !data.isEmpty else { throw Self.unfit("the code has no data", "what it is to say") }
        guard data.utf8.count <= ReceiptCode.maximumDataLength else {
            throw Self.unfit("the code's data has more than \(ReceiptCode.maximumDataLength) bytes", "less")
        }
        switch code.symbology {
        case .upc: (kind, text) = try GoodsNumber.upc(data)
        case .ean: (kind, text) = try GoodsNumber.ean(data)
        case .code39: (kind, text) = (.code39, try Self.code39(data))
        case .itf: (kind, text) = (.itf, try Self.itf(data))
        case .codabar: (kind, text) = (.codabar, try Self.codabar(data))
        case .code93: (kind, text) = (.code93, try Self.ascii(data, "Code 93"))
        case .code128: (kind, text) = (.code128(Code128.codewords(try Self.ascii(data, "Code 128").utf8)), data)
        case .qrcode: (kind, text) = (.qr(version: try QRCapacity.version(for: data, code.level)), data)
        case .pdf417: (kind, text) = (try MatrixCapacity.pdf417(data), data)
        case .datamatrix: (kind, text) = (.dataMatrix(side: try MatrixCapacity.dataMatrixSide(for: data)), data)
        }
        try checkLength()
    }

    /// GS k states the length of a barcode's data in one byte.
    private static let maximumBarcodeLength = 255

    private func checkLength() throws(ReceiptError) {
        let length =
            switch kind {
            case .code128(let codewords): Code128.escPos(codewords).count
            case .qr, .pdf417, .dataMatrix: 0
            default: text.utf8.count
            }
        guard length <= Self.maximumBarcodeLength else {
            throw Self.unfit("the barcode's data is too long to be printed", "at most some 100 characters")
        }
    }

    static func unfit(_ message: String, _ instead: String) -> ReceiptError {
        ReceiptError(.code, message, instead: instead)
    }

    private static func ascii(_ data: String, _ name: String) throws(ReceiptError) -> String {
        guard data.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw unfit("\(name) holds ASCII characters only", "the data without others, or a QR code")
        }
        return data
    }

    private static func code39(_ data: String) throws(ReceiptError) -> String {
        let hasStars = data.utf8.count > 2 && data.hasPrefix("*") && data.hasSuffix("*")
        let text = hasStars ? String(data.dropFirst().dropLast()) : data
        guard text.utf8.allSatisfy(code39Characters.contains) else {
            throw unfit("Code 39 holds digits, capital letters and -. $/+% only", "the data so, or Code 128")
        }
        return text
    }

    static let code39Characters = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%".utf8)

    private static func itf(_ data: String) throws(ReceiptError) -> String {
        guard data.isDigits, data.utf8.count.isMultiple(of: 2) else {
            throw unfit(
                "Interleaved 2 of 5 holds digits only, and an even number of them", "the digits with a 0 in front")
        }
        return data
    }

    private static func codabar(_ data: String) throws(ReceiptError) -> String {
        let text = data.uppercased()
        let letters = Set("ABCD".utf8)
        let inner = Set("0123456789-$:/.+".utf8)
        guard text.utf8.count >= 3, let first = text.utf8.first, let last = text.utf8.last, letters.contains(first),
            letters.contains(last),
            text.utf8.dropFirst().dropLast().allSatisfy(inner.contains)
        else {
            throw unfit("Codabar holds digits and -$:/.+ between two letters from A to D", "such as A12345B")
        }
        return text
    }
}

extension String {
    var isDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
