/// A token of a subject that nobody can guess: 128 random bits as 32 hexadecimal digits.
package enum RandomToken {
    package static func text() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
