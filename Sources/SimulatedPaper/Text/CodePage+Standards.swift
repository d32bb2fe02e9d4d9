/// National and international standards. Right-to-left and combining characters stand as their numbers, so that rows
/// read in one direction everywhere; U+FFFD is no character.
extension CodePage {
    static let iso2 = CodePage(
        "ISO8859-2",
        [
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ",
            "°ą˛ł´ľśˇ¸šşťź˝žż",
            "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ",
            "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß",
            "ŕáâăäĺćçčéęëěíîď",
            "đńňóôőö÷řůúűüýţ˙",
        ])

    static let iso7 = CodePage(
        "ISO8859-7",
        [
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{A0}‘’£€₯¦§¨©ͺ«¬\u{AD}\u{FFFD}―",
            "°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ",
            "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ",
            "ΠΡ\u{FFFD}ΣΤΥΦΧΨΩΪΫάέήί",
            "ΰαβγδεζηθικλμνξο",
            "πρςστυφχψωϊϋόύώ\u{FFFD}",
        ])

    static let iso15 = CodePage(
        "ISO8859-15",
        [
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯",
            "°±²³Žµ¶·ž¹º»ŒœŸ¿",
            "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ",
            "ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß",
            "àáâãäåæçèéêëìíîï",
            "ðñòóôõö÷øùúûüýþÿ",
        ])

    static let kz1048 = CodePage(
        "KZ-1048",
        [
            "ЂЃ‚ѓ„…†‡€‰Љ‹ЊҚҺЏ",
            "ђ‘’“”•–—\u{FFFD}™љ›њқһџ",
            "\u{A0}ҰұӘ¤Ө¦§Ё©Ғ«¬\u{AD}®Ү",
            "°±Ііөµ¶·ё№ғ»әҢңү",
            "АБВГДЕЖЗИЙКЛМНОП",
            "РСТУФХЦЧШЩЪЫЬЭЮЯ",
            "абвгдежзийклмноп",
            "рстуфхцчшщъыьэюя",
        ])

    static let thai = CodePage(
        "Thai (TIS 620)",
        [
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{FFFD}กขฃคฅฆงจฉชซฌญฎฏ",
            "ฐฑฒณดตถทธนบปผฝพฟ",
            "ภมยรฤลฦวศษสหฬอฮฯ",
            "ะ\u{E31}าำ\u{E34}\u{E35}\u{E36}\u{E37}\u{E38}\u{E39}\u{E3A}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}฿",
            "เแโใไๅๆ\u{E47}\u{E48}\u{E49}\u{E4A}\u{E4B}\u{E4C}\u{E4D}\u{E4E}๏",
            "๐๑๒๓๔๕๖๗๘๙๚๛\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
        ])
}
