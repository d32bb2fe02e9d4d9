/// The code pages of DOS from 860 on, as IBM and Microsoft registered them. Right-to-left and combining characters
/// stand as their numbers, so that rows read in one direction everywhere; U+FFFD is no character.
extension CodePage {
    static let pc860 = CodePage(
        "PC860",
        [
            "ÇüéâãàÁçêÊèÍÔìÃÂ",
            "ÉÀÈôõòÚùÌÕÜ¢£Ù₧Ó",
            "áíóúñÑªº¿Ò¬½¼¡«»",
            "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
            "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "αßΓπΣσµτΦΘΩδ∞φε∩",
            "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
        ])

    static let pc861 = CodePage(
        "PC861",
        [
            "ÇüéâäàåçêëèÐðÞÄÅ",
            "ÉæÆôöþûÝýÖÜø£Ø₧ƒ",
            "áíóúÁÍÓÚ¿⌐¬½¼¡«»",
            "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
            "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "αßΓπΣσµτΦΘΩδ∞φε∩",
            "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
        ])

    static let pc862 = CodePage(
        "PC862",
        [
            "\u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}\u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}",
            "\u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}¢£¥₧ƒ",
            "áíóúñÑªº¿⌐¬½¼¡«»",
            "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
            "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "αßΓπΣσµτΦΘΩδ∞φε∩",
            "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
        ])

    static let pc863 = CodePage(
        "PC863",
        [
            "ÇüéâÂà¶çêëèïî‗À§",
            "ÉÈÊôËÏûù¤ÔÜ¢£ÙÛƒ",
            "¦´óú¨¸³¯Î⌐¬½¼¾«»",
            "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
            "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "αßΓπΣσµτΦΘΩδ∞φε∩",
            "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
        ])

    static let pc864 = CodePage(
        "PC864",
        [
            "°·∙√▒─│┼┤┬├┴┐┌└┘",
            "β∞φ±½¼≈«»\u{FEF7}\u{FEF8}\u{FFFD}\u{FFFD}\u{FEFB}\u{FEFC}\u{FFFD}",
            "\u{A0}\u{AD}\u{FE82}£¤\u{FE84}\u{FFFD}\u{FFFD}\u{FE8E}\u{FE8F}\u{FE95}\u{FE99}،\u{FE9D}\u{FEA1}\u{FEA5}",
            "\u{660}\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}\u{667}\u{668}\u{669}\u{FED1}\u{61B}\u{FEB1}\u{FEB5}\u{FEB9}\u{61F}",
            "¢\u{FE80}\u{FE81}\u{FE83}\u{FE85}\u{FECA}\u{FE8B}\u{FE8D}\u{FE91}\u{FE93}\u{FE97}\u{FE9B}\u{FE9F}\u{FEA3}\u{FEA7}\u{FEA9}",
            "\u{FEAB}\u{FEAD}\u{FEAF}\u{FEB3}\u{FEB7}\u{FEBB}\u{FEBF}\u{FEC1}\u{FEC5}\u{FECB}\u{FECF}¦¬÷×\u{FEC9}",
            "\u{640}\u{FED3}\u{FED7}\u{FEDB}\u{FEDF}\u{FEE3}\u{FEE7}\u{FEEB}\u{FEED}\u{FEEF}\u{FEF3}\u{FEBD}\u{FECC}\u{FECE}\u{FECD}\u{FEE1}",
            "\u{FE7D}\u{651}\u{FEE5}\u{FEE9}\u{FEEC}\u{FEF0}\u{FEF2}\u{FED0}\u{FED5}\u{FEF5}\u{FEF6}\u{FEDD}\u{FED9}\u{FEF1}■\u{FFFD}",
        ])

    static let pc865 = CodePage(
        "PC865",
        [
            "ÇüéâäàåçêëèïîìÄÅ",
            "ÉæÆôöòûùÿÖÜø£Ø₧ƒ",
            "áíóúñÑªº¿⌐¬½¼¡«¤",
            "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
            "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "αßΓπΣσµτΦΘΩδ∞φε∩",
            "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}",
        ])

    static let pc866 = CodePage(
        "PC866",
        [
            "АБВГДЕЖЗИЙКЛМНОП",
            "РСТУФХЦЧШЩЪЫЬЭЮЯ",
            "абвгдежзийклмноп",
            "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
            "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "рстуфхцчшщъыьэюя",
            "ЁёЄєЇїЎў°∙·√№¤■\u{A0}",
        ])

    static let pc869 = CodePage(
        "PC869",
        [
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}Ά\u{FFFD}·¬¦‘’Έ―Ή",
            "ΊΪΌ\u{FFFD}\u{FFFD}ΎΫ©Ώ²³ά£έήί",
            "ϊΐόύΑΒΓΔΕΖΗ½ΘΙ«»",
            "░▒▓│┤ΚΛΜΝ╣║╗╝ΞΟ┐",
            "└┴┬├─┼ΠΡ╚╔╩╦╠═╬Σ",
            "ΤΥΦΧΨΩαβγ┘┌█▄δε▀",
            "ζηθικλμνξοπρσςτ΄",
            "\u{AD}±υφχ§ψ΅°¨ωϋΰώ■\u{A0}",
        ])

    static let pc1125 = CodePage(
        "PC1125",
        [
            "АБВГДЕЖЗИЙКЛМНОП",
            "РСТУФХЦЧШЩЪЫЬЭЮЯ",
            "абвгдежзийклмноп",
            "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧",
            "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "рстуфхцчшщъыьэюя",
            "ЁёҐґЄєІіЇї·√№¤■\u{A0}",
        ])
}
