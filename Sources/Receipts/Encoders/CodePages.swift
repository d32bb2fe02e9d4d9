package import KioskPrintModel

extension CodePage {
    /// The name for people.
    package var name: String {
        switch self {
        case .katakana: "Katakana"
        default: rawValue.hasPrefix("windows") ? "Windows" + rawValue.dropFirst(7) : rawValue.uppercased()
        }
    }

    /// The character's bytes, or nil where the page lacks it. Composed and decomposed characters are the same. What
    /// follows a half-width letter in its own cell has its own byte.
    package func bytes(of character: Character) -> [UInt8]? {
        if let ascii = character.asciiValue { return ascii.isControl ? nil : [ascii] }
        let tables = CodePageTables.shared
        let scalars = character.unicodeScalars
        if let scalar = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex,
            let byte = tables.byte(of: scalar, in: self)
        {
            return [byte]
        }
        for scalar in tables.equivalents(of: character) {
            if let byte = tables.byte(of: scalar, in: self) { return [byte] }
        }
        guard scalars.count > 1 else { return nil }
        let bytes = scalars.compactMap { tables.byte(of: $0, in: self) }
        return bytes.count == scalars.count && bytes.count == TextCluster.cells(of: character) ? bytes : nil
    }
}

/// The characters of all code pages, so that a single look-up tells which pages have one.
struct CodePageTables {
    /// Built for the first receipt that has more than ASCII.
    static let shared = CodePageTables()

    /// The pages' tables from characters to bytes, in the order of `CodePage.allCases`.
    private var bytes: [[Unicode.Scalar: UInt8]] = []
    private var pages: [Unicode.Scalar: CodePageSet] = [:]
    private var indices: [CodePage: Int] = [:]

    private init() {
        for (index, page) in CodePage.allCases.enumerated() {
            var table: [Unicode.Scalar: UInt8] = [Self.noBreakSpace: 0x20]
            for (offset, scalar) in page.upperHalf.unicodeScalars.enumerated()
            where scalar != "?" && scalar != Self.noBreakSpace && Self.hasCell(scalar) {
                table[scalar] = UInt8(truncatingIfNeeded: 0x80 + offset)
            }
            for scalar in table.keys { pages[scalar, default: []].insert(index) }
            bytes.append(table)
            indices[page] = index
        }
        for byte in UInt8(0x20)..<0x7F { pages[Unicode.Scalar(byte)] = .all }
    }

    /// It is printed as any other space.
    private static let noBreakSpace: Unicode.Scalar = "\u{A0}"

    /// Epson's Katakana has ideographs that are one cell wide; the layout gives them two. It prints a combining mark
    /// in a cell behind its letter.
    private static func hasCell(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .format, .control: false
        default: !EastAsianWidth.isWide(scalar)
        }
    }

    /// The scalars that are canonically equivalent to a character: composed and decomposed ones are equal. Built for
    /// the first receipt that has one.
    private static let equivalents: [Character: [Unicode.Scalar]] = Dictionary(grouping: shared.pages.keys.sorted()) {
        Character($0)
    }

    /// The single scalars that are the same character, in the order of their numbers.
    func equivalents(of character: Character) -> [Unicode.Scalar] { Self.equivalents[character] ?? [] }

    func byte(of scalar: Unicode.Scalar, in page: CodePage) -> UInt8? {
        if scalar.isASCII {
            return scalar.value >= 0x20 && scalar.value < 0x7F ? UInt8(truncatingIfNeeded: scalar.value) : nil
        }
        return indices[page].flatMap { bytes[$0][scalar] }
    }

    /// The pages that have a character.
    func pages(having character: Character) -> CodePageSet {
        let scalars = character.unicodeScalars
        if scalars.count == 1, let scalar = scalars.first, let pages = pages[scalar] { return pages }
        // One page may have it as one byte, another as several. Such characters are few.
        return set(of: CodePage.allCases.filter { $0.bytes(of: character) != nil })
    }

    func set(of pages: [CodePage]) -> CodePageSet {
        pages.reduce(into: []) { set, page in if let index = indices[page] { set.insert(index) } }
    }
}

/// A set of code pages, by their indices in `CodePage.allCases`.
struct CodePageSet: Hashable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    init(arrayLiteral indices: Int...) { indices.forEach { insert($0) } }

    static let all = CodePage.allCases.indices.reduce(into: CodePageSet()) { $0.insert($1) }

    mutating func insert(_ index: Int) { bits |= 1 << UInt64(index) }

    func intersection(_ other: CodePageSet) -> CodePageSet {
        var both = self
        both.bits &= other.bits
        return both
    }

    /// The first code page of the set, in the order of `CodePage.allCases`.
    var first: CodePage? { bits == 0 ? nil : CodePage.allCases[bits.trailingZeroBitCount] }
}

extension CodePage {
    /// The characters of the bytes from 80h on; a question mark stands for none. The tables are those of glibc's iconv,
    /// except for half-width Katakana, which is Epson's page 1 (ESC/POS reference, "Character code tables").
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

    private static let cp437Characters =
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp858Characters =
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"
    private static let cp850Characters =
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"
    private static let cp852Characters =
        "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}"
    private static let cp866Characters =
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{A0}"
    private static let katakanaCharacters =
        "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉┼┴┬┤├▔─│▕┌┐└┘╭╮╰╯?｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ═╞╪╡◢◣◥◤♠♥♦♣●○╱╲╳円年月日時分秒〒市区町村人??"
    private static let cp737Characters =
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp775Characters =
        "ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\u{AD}±“¾¶§÷„°∙·¹³²■\u{A0}"
    private static let cp855Characters =
        "ђЂѓЃёЁєЄѕЅіІїЇјЈљЉњЊћЋќЌўЎџЏюЮъЪаАбБцЦдДеЕфФгГ«»░▒▓│┤хХиИ╣║╗╝йЙ┐└┴┬├─┼кК╚╔╩╦╠═╬¤лЛмМнНоОп┘┌█▄Пя▀ЯрРсСтТуУжЖвВьЬ№\u{AD}ыЫзЗшШэЭщЩчЧ§■\u{A0}"
    private static let cp857Characters =
        "ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ?ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ?×ÚÛÙìÿ¯´\u{AD}±?¾¶§÷¸°¨·¹³²■\u{A0}"
    private static let cp860Characters =
        "ÇüéâãàÁçêÊèÍÔìÃÂÉÀÈôõòÚùÌÕÜ¢£Ù₧ÓáíóúñÑªº¿Ò¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp861Characters =
        "ÇüéâäàåçêëèÐðÞÄÅÉæÆôöþûÝýÖÜø£Ø₧ƒáíóúÁÍÓÚ¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp862Characters =
        "\(hebrewLetters)¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp863Characters =
        "ÇüéâÂà¶çêëèïî‗À§ÉÈÊôËÏûù¤ÔÜ¢£ÙÛƒ¦´óú¨¸³¯Î⌐¬½¼¾«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp865Characters =
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø₧ƒáíóúñÑªº¿⌐¬½¼¡«¤░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp869Characters =
        "??????Ά?·¬¦‘’Έ―ΉΊΪΌ??ΎΫ©Ώ²³ά£έήίϊΐόύΑΒΓΔΕΖΗ½ΘΙ«»░▒▓│┤ΚΛΜΝ╣║╗╝ΞΟ┐└┴┬├─┼ΠΡ╚╔╩╦╠═╬ΣΤΥΦΧΨΩαβγ┘┌█▄δε▀ζηθικλμνξοπρσςτ΄\u{AD}±υφχ§ψ΅°¨ωϋΰώ■\u{A0}"
    private static let cp772Characters =
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀рстуфхцчшщъыьэюяЁё≥≤„“÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp774Characters =
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤„“÷≈°∙·√ⁿ²■\u{A0}"
    private static let cp1125Characters =
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀рстуфхцчшщъыьэюяЁёҐґЄєІіЇї·√№¤■\u{A0}"
    private static let cp874Characters =
        "€????…???????????‘’“”•–—????????\u{A0}กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลฦวศษสหฬอฮฯะ\u{E31}าำ\u{E34}\u{E35}\u{E36}\u{E37}\u{E38}\u{E39}\u{E3A}????฿เแโใไๅๆ\u{E47}\u{E48}\u{E49}\u{E4A}\u{E4B}\u{E4C}\u{E4D}\u{E4E}๏๐๑๒๓๔๕๖๗๘๙๚๛????"

    private static let windows1252Characters =
        "€?‚ƒ„…†‡ˆ‰Š‹Œ?Ž??‘’“”•–—˜™š›œ?žŸ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    private static let windows1250Characters =
        "€?‚?„…†‡?‰Š‹ŚŤŽŹ?‘’“”•–—?™š›śťžź\u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
    private static let windows1251Characters =
        "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—?™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"
    private static let windows1253Characters =
        "€?‚ƒ„…†‡?‰?‹?????‘’“”•–—?™?›????\u{A0}΅Ά£¤¥¦§¨©?«¬\u{AD}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ?ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ?"
    private static let windows1254Characters =
        "€?‚ƒ„…†‡ˆ‰Š‹Œ????‘’“”•–—˜™š›œ??Ÿ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ"
    private static let windows1255Characters =
        "€?‚ƒ„…†‡ˆ‰?‹?????‘’“”•–—˜™?›????\u{A0}¡¢£₪¥¦§¨©×«¬\u{AD}®¯°±²³´µ¶·¸¹÷»¼½¾¿\u{5B0}\u{5B1}\u{5B2}\u{5B3}\u{5B4}\u{5B5}\u{5B6}\u{5B7}\u{5B8}\u{5B9}?\u{5BB}\u{5BC}\u{5BD}\u{5BE}\u{5BF}\u{5C0}\u{5C1}\u{5C2}\u{5C3}\u{5F0}\u{5F1}\u{5F2}\u{5F3}\u{5F4}???????\(hebrewLetters)??\u{200E}\u{200F}?"
    private static let windows1257Characters =
        "€?‚?„…†‡?‰?‹?¨ˇ¸?‘’“”•–—?™?›?¯˛?\u{A0}?¢£¤?¦§Ø©Ŗ«¬\u{AD}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙"
    private static let windows1258Characters =
        "€?‚ƒ„…†‡ˆ‰?‹Œ????‘’“”•–—˜™?›œ??Ÿ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂĂÄÅÆÇÈÉÊË\u{300}ÍÎÏĐÑ\u{309}ÓÔƠÖ×ØÙÚÛÜƯ\u{303}ßàáâăäåæçèéêë\u{301}íîïđñ\u{323}óôơö÷øùúûüư₫ÿ"
    private static let rk1048Characters =
        "ЂЃ‚ѓ„…†‡€‰Љ‹ЊҚҺЏђ‘’“”•–—?™љ›њқһџ\u{A0}ҰұӘ¤Ө¦§Ё©Ғ«¬\u{AD}®Ү°±Ііөµ¶·ё№ғ»әҢңүАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"
    private static let iso1Characters =
        "????????????????????????????????\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    private static let iso2Characters =
        "????????????????????????????????\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
    private static let iso3Characters =
        "????????????????????????????????\u{A0}Ħ˘£¤?Ĥ§¨İŞĞĴ\u{AD}?Ż°ħ²³´µĥ·¸ışğĵ½?żÀÁÂ?ÄĊĈÇÈÉÊËÌÍÎÏ?ÑÒÓÔĠÖ×ĜÙÚÛÜŬŜßàáâ?äċĉçèéêëìíîï?ñòóôġö÷ĝùúûüŭŝ˙"
    private static let iso4Characters =
        "????????????????????????????????\u{A0}ĄĸŖ¤ĨĻ§¨ŠĒĢŦ\u{AD}Ž¯°ą˛ŗ´ĩļˇ¸šēģŧŊžŋĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪßāáâãäåæįčéęëėíîīđņōķôõö÷øųúûüũū˙"
    private static let iso5Characters =
        "????????????????????????????????\u{A0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{AD}ЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя№ёђѓєѕіїјљњћќ§ўџ"
    private static let iso7Characters =
        "????????????????????????????????\u{A0}‘’£€₯¦§¨©ͺ«¬\u{AD}?―°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ?ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ?"
    private static let iso8Characters =
        "????????????????????????????????\u{A0}?¢£¤¥¦§¨©×«¬\u{AD}®¯°±²³´µ¶·¸¹÷»¼½¾????????????????????????????????‗\(hebrewLetters)??\u{200E}\u{200F}?"
    private static let iso9Characters =
        "????????????????????????????????\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ"
    private static let iso15Characters =
        "????????????????????????????????\u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"

    /// Alef to Tav. Editors would show them from right to left in the tables' lines.
    private static let hebrewLetters = String(
        String.UnicodeScalarView((0x5D0...0x5EA).compactMap { Unicode.Scalar($0) }))
}
