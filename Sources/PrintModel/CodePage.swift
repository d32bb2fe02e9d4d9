/// A code page of receipt printers: a table of 256 characters, with its name in profiles. The lower half is ASCII in
/// all of them.
///
/// Arabic code pages are left out: each Arabic letter needs the shape that its neighbours give it, so Arabic text is
/// drawn.
public enum CodePage: String, Hashable, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
    // Where several code pages contain a character, the encoder uses the first of these cases.
    case cp437
    /// CP850 with the Euro sign.
    case cp858
    case cp850
    case windows1252 = "windows-1252"
    /// Central Europe.
    case cp852
    /// Cyrillic.
    case cp866
    /// Half-width Katakana.
    case katakana
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"
    case windows1255 = "windows-1255"
    case windows1257 = "windows-1257"
    case windows1258 = "windows-1258"
    /// Greek.
    case cp737
    /// The Baltic.
    case cp775
    case cp855
    /// Turkish.
    case cp857
    /// Portuguese.
    case cp860
    /// Icelandic.
    case cp861
    /// Hebrew, in the order of its cells.
    case cp862
    /// Canadian French.
    case cp863
    /// Nordic.
    case cp865
    /// Greek.
    case cp869
    /// Lithuanian.
    case cp772
    case cp774
    /// Ukrainian.
    case cp1125
    /// Thai, as far as its letters have code points of their own.
    case cp874
    /// Kazakh.
    case rk1048
    case iso1 = "iso-8859-1"
    case iso2 = "iso-8859-2"
    case iso3 = "iso-8859-3"
    case iso4 = "iso-8859-4"
    case iso5 = "iso-8859-5"
    case iso7 = "iso-8859-7"
    case iso8 = "iso-8859-8"
    case iso9 = "iso-8859-9"
    case iso15 = "iso-8859-15"
}
