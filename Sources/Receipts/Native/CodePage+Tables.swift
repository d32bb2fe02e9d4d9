import PrintModel

extension CodePage {
    /// What the bytes from 80h on stand for; a question mark stands for nothing. The tables are those of glibc's iconv,
    /// but for the page of half-width Katakana, which is Epson's page 1 (ESC/POS reference, "Character code tables").
    var upperHalf: String {
        switch self {
        case .cp437: Self.cp437Characters
        case .cp858: Self.cp858Characters
        case .cp850: Self.cp850Characters
        case .windows1252: Self.windows1252Characters
        case .cp852: Self.cp852Characters
        case .cp866: Self.cp866Characters
        case .katakana: Self.katakanaCharacters
        case .windows1250: Self.windows1250Characters
        case .windows1251: Self.windows1251Characters
        case .windows1253: Self.windows1253Characters
        case .windows1254: Self.windows1254Characters
        case .windows1255: Self.windows1255Characters
        case .windows1257: Self.windows1257Characters
        case .windows1258: Self.windows1258Characters
        case .cp737: Self.cp737Characters
        case .cp775: Self.cp775Characters
        case .cp855: Self.cp855Characters
        case .cp857: Self.cp857Characters
        case .cp860: Self.cp860Characters
        case .cp861: Self.cp861Characters
        case .cp862: Self.cp862Characters
        case .cp863: Self.cp863Characters
        case .cp865: Self.cp865Characters
        case .cp869: Self.cp869Characters
        case .cp772: Self.cp772Characters
        case .cp774: Self.cp774Characters
        case .cp1125: Self.cp1125Characters
        case .cp874: Self.cp874Characters
        case .rk1048: Self.rk1048Characters
        case .iso1: Self.iso1Characters
        case .iso2: Self.iso2Characters
        case .iso3: Self.iso3Characters
        case .iso4: Self.iso4Characters
        case .iso5: Self.iso5Characters
        case .iso7: Self.iso7Characters
        case .iso8: Self.iso8Characters
        case .iso9: Self.iso9Characters
        case .iso15: Self.iso15Characters
        }
    }
}
