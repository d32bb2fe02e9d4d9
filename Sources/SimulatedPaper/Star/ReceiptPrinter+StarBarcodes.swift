/// `ESC b`.
extension ReceiptPrinter {
    private static let symbologies: [BarSymbology] = [
        .upcE, .upcA, .ean8, .ean13, .code39, .itf, .code128Auto, .code93, .codabar,
    ]

    /// Narrow and wide elements for the modes from 1 on.
    private static let code39Widths = [(2, 6), (3, 9), (4, 12), (2, 5), (3, 8), (4, 10), (2, 4), (3, 6), (4, 8)]
    private static let itfWidths = [(2, 5), (4, 10), (6, 15), (2, 4), (4, 8), (6, 12), (2, 6), (3, 9), (4, 12)]

    /// n1 n2 n3 n4, then the data up to RS.
    @Sendable static func starBarcodeParameters(_ reader: inout ByteReader) -> [UInt8]? {
        guard let head = reader.take(4) else { return nil }
        return reader.take(until: 0x1E).map { head + $0 }
    }

    mutating func printStarBarcode(_ arguments: CommandArguments) -> CommandOutcome {
        guard arguments.choice(0) < Self.symbologies.count else { return .refused("no such barcode") }
        let symbology = Self.symbologies[arguments.choice(0)]
        let data = Array(arguments.from(4))
        let what = "\(symbology.name) \(PaperEvent.quoted(String(decoding: data, as: UTF8.self)))"
        let (option, mode) = (arguments.choice(1), arguments.choice(2))
        guard (1...4).contains(option) else { return .refused("\(what): no such choice of text and feed") }
        guard let widths = widths(symbology, mode) else { return .refused("\(what): no such width") }
        do {
            let symbol = try starSymbol(symbology, data)
            var bars = symbol.picture(module: widths.narrow, wide: widths.wide, height: max(1, arguments[3]))
            guard bars.width <= areaWidth else {
                return .refused("\(what): \(bars.width) dots wide, which the print area is not; not printed")
            }
            state.barcode.text = option % 2 == 0 ? .below : .none
            state.barcode.font = .a
            bars = withText(bars, symbol.text)
            if !isAtLineStart { printLine(feeding: state.lineSpacing) }
            printPicture(bars)
            // Options 1 and 2 feed a line as well.
            if option <= 2 { roll.feed(state.lineSpacing) }
            return "\(what), \(bars.width)×\(bars.height) dots"
        } catch {
            return .refused("\(what): \(error.reason)")
        }
    }

    private func widths(_ symbology: BarSymbology, _ mode: Int) -> (narrow: Int, wide: Int?)? {
        switch symbology {
        case .code39, .codabar: Self.code39Widths.dropFirst(max(0, mode - 1)).first.map { ($0.0, $0.1) }
        case .itf: Self.itfWidths.dropFirst(max(0, mode - 1)).first.map { ($0.0, $0.1) }
        default: (1...3).contains(mode) ? (mode + 1, nil) : nil
        }
    }

    private func starSymbol(_ symbology: BarSymbology, _ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        switch symbology {
        case .upcE: try EANSymbol.upcE(data)
        case .upcA: try EANSymbol.upcA(data)
        case .ean8: try EANSymbol.ean8(data)
        case .ean13: try EANSymbol.ean13(data)
        case .code39: try TwoLevelSymbol.code39(data)
        case .itf: try TwoLevelSymbol.itf(data)
        case .code93: try Code93Symbol.symbol(data)
        case .codabar: try TwoLevelSymbol.codabar(data)
        default: try Code128Symbol.star(data)
        }
    }
}

extension Code128Symbol {
    /// The code sets are chosen by the printer. `%0` is a percent sign, `%1` FNC1.
    static func star(_ data: [UInt8]) throws(SymbolError) -> BarSymbol {
        var rest = data[...]
        var bytes: [UInt8?] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(byte)
            case UInt8(ascii: "1"): bytes.append(nil)
            default: throw SymbolError("no such code after a percent sign")
            }
        }
        let text = String(
            decoding: bytes.compactMap(\.self).map { (0x20..<0x7F).contains($0) ? $0 : 0x20 }, as: UTF8.self)
        return try automatic(bytes, text: text)
    }
}
