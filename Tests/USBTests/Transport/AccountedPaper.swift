/// What a thousand jobs left on paper, taken apart again. Every document is `{`, letters that name the job, a body and
/// `}`; no command has any of the letters.
struct AccountedPaper {
    /// In their order; each begins with `{`.
    let pieces: [String]

    private static let alphabet = Array("bcefghijklmnopqs".utf8)

    init(_ bytes: [UInt8]) {
        let text = bytes.filter { Self.alphabet.contains($0) || $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
        pieces = String(decoding: text, as: UTF8.self).split(separator: "{", omittingEmptySubsequences: false)
            .dropFirst().map { "{\($0)" }
    }

    static func document(_ number: Int, length: Int) -> String {
        let name = [12, 8, 4, 0].map { alphabet[number >> $0 & 15] }
        let body = (0..<length).map { alphabet[($0 &* 7 &+ number) % alphabet.count] }
        return "{\(String(decoding: name + body, as: UTF8.self))}"
    }
}
