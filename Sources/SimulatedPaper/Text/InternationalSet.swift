/// The twelve ASCII characters that `ESC R` replaces (Epson, ESC/POS Command Reference, ESC R).
enum InternationalSet {
    private static let replaced = Array("#$@[\\]^`{|}~".utf8)

    /// A set's name, and the characters in the order of their codes; nil for numbers without a set.
    static func numbered(_ number: Int) -> (name: String, scalars: [Unicode.Scalar])? {
        guard sets.indices.contains(number) else { return nil }
        return (sets[number].0, Array(sets[number].1.unicodeScalars))
    }

    static func scalar(_ byte: UInt8, in set: [Unicode.Scalar]) -> Unicode.Scalar {
        guard let index = replaced.firstIndex(of: byte), index < set.count else { return Unicode.Scalar(byte) }
        return set[index]
    }

    private static let sets: [(String, String)] = [
        ("U.S.A.", "#$@[\\]^`{|}~"), ("France", "#$à°ç§^`éùè¨"), ("Germany", "#$§ÄÖÜ^`äöüß"), ("U.K.", "£$@[\\]^`{|}~"),
        ("Denmark I", "#$@ÆØÅ^`æøå~"), ("Sweden", "#¤ÉÄÖÅÜéäöåü"), ("Italy", "#$@°\\é^ùàòèì"),
        ("Spain I", "₧$@¡Ñ¿^`¨ñ}~"),
        ("Japan", "#$@[¥]^`{|}~"), ("Norway", "#¤ÉÆØÅÜéæøåü"), ("Denmark II", "#$ÉÆØÅÜéæøåü"),
        ("Spain II", "#$á¡Ñ¿é`íñóú"),
        ("Latin America", "#$á¡Ñ¿éüíñóú"), ("Korea", "#$@[₩]^`{|}~"), ("Slovenia/Croatia", "#$ŽŠĐĆČžšđćč"),
        ("China", "#¥@[\\]^`{|}~"),
    ]
}
