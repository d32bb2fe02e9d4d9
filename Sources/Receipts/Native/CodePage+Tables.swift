extension CodePage {
    /// What the bytes from 80h on stand for; U+FFFD stands for nothing. CP437 to CP866 are IBM's, Windows-1252 is Microsoft's, and the
    /// page of half-width Katakana is Epson's page 1 (ESC/POS reference, "Character code tables").
    var upperHalf: String {
        switch self {
        case .cp437: Self.cp437Characters
        case .cp858: Self.cp858Characters
        case .cp850: Self.cp850Characters
        case .windows1252: Self.windows1252Characters
        case .cp852: Self.cp852Characters
        case .cp866: Self.cp866Characters
        case .katakana: Self.katakanaCharacters
        }
    }

    private static let cp437Characters =
        "ÇüéâäàåçêëèïîìÄÅ" +
        "ÉæÆôöòûùÿÖÜ¢£¥₧ƒ" +
        "áíóúñÑªº¿⌐¬½¼¡«»" +
        "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
        "└┴┬├─┼╞╟╚╔╩╦╠═╬╧" +
        "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
        "αßΓπΣσµτΦΘΩδ∞φε∩" +
        "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"

    private static let cp858Characters =
        "ÇüéâäàåçêëèïîìÄÅ" +
        "ÉæÆôöòûùÿÖÜø£Ø×ƒ" +
        "áíóúñÑªº¿®¬½¼¡«»" +
        "░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
        "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤" +
        "ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀" +
        "ÓßÔÒõÕµþÞÚÛÙýÝ¯´" +
        "\u{FFFD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"

    private static let cp850Characters =
        "ÇüéâäàåçêëèïîìÄÅ" +
        "ÉæÆôöòûùÿÖÜø£Ø×ƒ" +
        "áíóúñÑªº¿®¬½¼¡«»" +
        "░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
        "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤" +
        "ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀" +
        "ÓßÔÒõÕµþÞÚÛÙýÝ¯´" +
        "\u{FFFD}±‗¾¶§÷¸°¨·¹³²■\u{A0}"

    private static let windows1252Characters =
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}" +
        "\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ" +
        "\u{A0}¡¢£¤¥¦§¨©ª«¬\u{FFFD}®¯" +
        "°±²³´µ¶·¸¹º»¼½¾¿" +
        "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ" +
        "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß" +
        "àáâãäåæçèéêëìíîï" +
        "ðñòóôõö÷øùúûüýþÿ"

    private static let cp852Characters =
        "ÇüéâäůćçłëŐőîŹÄĆ" +
        "ÉĹĺôöĽľŚśÖÜŤťŁ×č" +
        "áíóúĄąŽžĘę¬źČş«»" +
        "░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐" +
        "└┴┬├─┼Ăă╚╔╩╦╠═╬¤" +
        "đĐĎËďŇÍÎě┘┌█▄ŢŮ▀" +
        "ÓßÔŃńňŠšŔÚŕŰýÝţ´" +
        "\u{FFFD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}"

    private static let cp866Characters =
        "АБВГДЕЖЗИЙКЛМНОП" +
        "РСТУФХЦЧШЩЪЫЬЭЮЯ" +
        "абвгдежзийклмноп" +
        "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
        "└┴┬├─┼╞╟╚╔╩╦╠═╬╧" +
        "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
        "рстуфхцчшщъыьэюя" +
        "ЁёЄєЇїЎў°∙·√№¤■\u{A0}"

    private static let katakanaCharacters =
        "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉┼" +
        "┴┬┤├▔─│▕┌┐└┘╭╮╰╯" +
        "\u{FFFD}｡｢｣､･ｦｧｨｩｪｫｬｭｮｯ" +
        "ｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿ" +
        "ﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏ" +
        "ﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ" +
        "═╞╪╡◢◣◥◤♠♥♦♣●○╱╲" +
        "╳円年月日時分秒〒市区町村人\u{FFFD}\u{FFFD}"
}
