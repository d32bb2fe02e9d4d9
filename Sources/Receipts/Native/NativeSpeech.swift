import PrintModel

/// Says pieces of text in a printer's own characters, in the layout's order: their bytes, and where the code page is
/// switched.
struct NativeSpeech {
    private var plan: CodePagePlan
    /// Parts of the plan that were said: all but ASCII.
    private var said = 0
    /// The code page that the plan is at, and whether the printer is.
    private var page: CodePage?
    private var isPageSet = true

    enum Word {
        case page(CodePage)
        case text([UInt8], String)
    }

    /// `current`: what the printer begins with; nil where nobody knows.
    init(_ plan: CodePagePlan, current: CodePage?) { (self.plan, page) = (plan, current) }

    /// A raw command may have chosen another page.
    mutating func forgetPage() { isPageSet = false }

    mutating func say(_ piece: NativePiece) -> [Word] {
        if isPageSet, piece.text.count == 1, case .ascii(let text) = piece.text[0] {
            return [.text(Array(text.utf8), text)]
        }
        var (words, bytes, shown): ([Word], [UInt8], String) = ([], [], "")
        for part in piece.text {
            if case .other = part {
                if let next = plan.page(at: said) { (page, isPageSet) = (next, false) }
                said += 1
            }
            if !isPageSet {
                if !bytes.isEmpty { words.append(.text(bytes, shown)) }
                (bytes, shown) = ([], "")
                if let page { words.append(.page(page)) }
                isPageSet = true
            }
            switch part {
            case .ascii(let text):
                bytes += text.utf8
                shown += text
            case .other(let character, let count):
                let code = (page ?? .cp437).bytes(of: character) ?? []
                for _ in 0..<count {
                    bytes += code
                    shown.append(character)
                }
            }
        }
        words.append(.text(bytes, shown))
        return words
    }
}
