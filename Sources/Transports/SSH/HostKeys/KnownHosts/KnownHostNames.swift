import KioskPrintModel

/// The hosts that a line of a known_hosts file applies to.
package enum KnownHostNames: Hashable, Sendable {
    /// At least one pattern must match the name, and none that is negated.
    case patterns([Pattern])
    /// The name's HMAC-SHA1 with the salt as key (`|1|SALT|HASH`), 20 octets each. The file does not reveal the name.
    case hashed(salt: [UInt8], hash: [UInt8])

    package struct Pattern: Hashable, Sendable {
        package var isNegated: Bool
        /// The pattern in lower case; `*` stands for any octets, `?` for one.
        package var text: [UInt8]

        package init(isNegated: Bool = false, _ text: [UInt8]) {
            self.isNegated = isNegated
            self.text = text
        }
    }

    /// The length of a SHA-1 hash in octets.
    private static let hashLength = 20
    /// OpenSSH's own limit (match.c): a list with a longer pattern matches nothing.
    private static let maximumPatternLength = 1022

    /// Parses the field of a line; nil for what is neither patterns nor a hash.
    init?(_ field: ArraySlice<UInt8>) {
        guard let first = field.first else { return nil }
        if first == UInt8(ascii: "|") {
            let parts = field.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            guard parts.count == 4, parts[1].elementsEqual([UInt8(ascii: "1")]),
                let salt = Base64.decode(parts[2], strict: true), salt.count == Self.hashLength,
                let hash = Base64.decode(parts[3], strict: true), hash.count == Self.hashLength
            else { return nil }
            self = .hashed(salt: salt, hash: hash)
        } else {
            let patterns = field.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { part in
                let isNegated = part.first == UInt8(ascii: "!")
                return Pattern(isNegated: isNegated, part.dropFirst(isNegated ? 1 : 0).map(Self.lowercase))
            }
            guard patterns.allSatisfy({ $0.text.count <= Self.maximumPatternLength }) else { return nil }
            self = .patterns(patterns)
        }
    }

    private static func lowercase(_ octet: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet) ? octet | 0x20 : octet
    }

    /// Whether a name matches. `hmac`: HMAC-SHA1 of a key and a string.
    func contains<Failure>(
        _ name: [UInt8], hmac: ([UInt8], [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Bool {
        switch self {
        case .patterns(let patterns):
            let matching = patterns.filter { $0.matches(name) }
            return !matching.isEmpty && !matching.contains(where: \.isNegated)
        case .hashed(let salt, let hash): return try hmac(salt, name) == hash
        }
    }

    /// The field as it is written in a file.
    var text: [UInt8] {
        switch self {
        case .patterns(let patterns):
            Array(
                patterns.map { ($0.isNegated ? [UInt8(ascii: "!")] : []) + $0.text }.joined(separator: [
                    UInt8(ascii: ",")
                ]))
        case .hashed(let salt, let hash):
            Array("|1|\(Base64.encode(salt))|\(Base64.encode(hash))".utf8)
        }
    }
}

extension KnownHostNames.Pattern {
    /// Whether the pattern matches a name. The number of steps is at most the product of both lengths, since only the
    /// last `*` is ever tried again.
    fileprivate func matches(_ name: [UInt8]) -> Bool {
        var (index, position) = (0, 0)
        var star: (index: Int, position: Int)?
        while position < name.count {
            if index < text.count, text[index] == UInt8(ascii: "*") {
                index += 1
                star = (index, position)
            } else if index < text.count, text[index] == UInt8(ascii: "?") || text[index] == name[position] {
                index += 1
                position += 1
            } else if let last = star {
                // The star takes one more octet.
                star = (last.index, last.position + 1)
                (index, position) = (last.index, last.position + 1)
            } else {
                return false
            }
        }
        return text[index...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
