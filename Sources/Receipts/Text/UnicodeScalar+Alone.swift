extension Unicode.Scalar {
    /// Whether it is a character of its own beside any other of which the same is true, and takes a cell or two:
    /// nothing here combines (Unicode Standard Annex #29, "Grapheme Cluster Boundaries"). Text of such alone needs no
    /// search for its characters.
    var standsAlone: Bool {
        switch value {
        // ASCII, Latin but for the soft hyphen, Greek, Cyrillic.
        case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x2FF, 0x370...0x377, 0x37A...0x37F, 0x384...0x38A, 0x38E...0x3A1,
            0x3A3...0x482, 0x48A...0x52F:
            true
        // Punctuation, currencies, arrows, mathematics and boxes.
        case 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20C0, 0x2190...0x2426, 0x2460...0x2B73: true
        // Kana, unified ideographs, and whole syllables of Hangul.
        case 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }
}
