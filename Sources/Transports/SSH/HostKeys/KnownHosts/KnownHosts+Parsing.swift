extension KnownHosts {
    /// Reads a file's octets. Lines that cannot be read are passed over, as OpenSSH does. In two ways more is read than
    /// there: a marker may end with a tab, and keys may have a type that nobody knows.
    package init(parsing octets: [UInt8]) {
        entries = octets.split(separator: UInt8(ascii: "\n")).compactMap(Self.entry)
    }

    /// Nil for an empty line, a comment, and what cannot be read.
    private static func entry(_ line: ArraySlice<UInt8>) -> KnownHostsEntry? {
        guard !line.contains(0) else { return nil }
        var rest = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        guard var word = nextWord(&rest), word.first != UInt8(ascii: "#") else { return nil }
        var marker: KnownHostsEntry.Marker?
        if word.first == UInt8(ascii: "@") {
            marker = KnownHostsEntry.Marker(rawValue: String(decoding: word, as: UTF8.self))
            guard marker != nil, let hosts = nextWord(&rest), hosts.first != UInt8(ascii: "@") else { return nil }
            word = hosts
        }
        guard let hosts = KnownHostNames(word), let algorithm = nextWord(&rest), let key = nextWord(&rest),
            let octets = Base64Text.decode(key), let key = KnownHostKey(octets),
            key.algorithm.utf8.elementsEqual(algorithm)
        else { return nil }
        return KnownHostsEntry(marker: marker, hosts: hosts, key: key)
    }

    /// What stands before the next space or tab; what follows is a comment in the end.
    private static func nextWord(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        func isSpace(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t") }
        rest = rest.drop(while: isSpace)
        let word = rest.prefix { !isSpace($0) }
        rest = rest.dropFirst(word.count)
        return word.isEmpty ? nil : word
    }
}
