import KioskPrintModel

/// The usual sheets and envelopes, for printers that do not say what they take (PWG 5101.1 §6).
enum StandardSheets {
    /// The sheet of this size, upright or turned; nil where the page is of no usual size.
    static func medium(for page: PaperSize) -> Medium? {
        let near = media.compactMap { medium in
            [page, page.turned].compactMap { $0.difference(to: medium.size, .sheets) }.min().map { (medium, $0) }
        }
        return near.min { $0.1 < $1.1 }?.0
    }

    private static let media = Medium.media(named: names)

    private static let names = [
        "iso_a3_297x420mm", "iso_a4_210x297mm", "iso_a5_148x210mm", "iso_a6_105x148mm", "iso_b4_250x353mm",
        "iso_b5_176x250mm", "iso_c4_229x324mm", "iso_c5_162x229mm", "iso_c6_114x162mm", "iso_dl_110x220mm",
        "jis_b4_257x364mm", "jis_b5_182x257mm", "jpn_hagaki_100x148mm", "jpn_oufuku_148x200mm",
        "na_letter_8.5x11in", "na_legal_8.5x14in", "na_ledger_11x17in", "na_executive_7.25x10.5in",
        "na_invoice_5.5x8.5in", "na_foolscap_8.5x13in", "na_index-4x6_4x6in", "na_5x7_5x7in",
        "na_number-10_4.125x9.5in", "na_monarch_3.875x7.5in",
    ]
}
