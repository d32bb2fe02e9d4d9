/// The octets of a character-string value. They are usually UTF-8, the `attributes-charset` of nearly every printer,
/// but any octets are kept unchanged. Two texts are equal if their octets are equal.
package struct IPPText: Sendable {
    private enum Storage: Sendable {
        case utf8(String)
        /// Only for octets that are not UTF-8.
        case octets([UInt8])
    }
    private let storage: Storage

    package init(_ string: String) {
        storage = .utf8(string)
    }

    package init(bytes: [UInt8]) {
        self.init(span: bytes.span)
    }

    init(span: Span<UInt8>) {
        if let utf8 = try? UTF8Span(validating: span) {
            storage = .utf8(String(copying: utf8))
        } else {
            storage = .octets([UInt8](copying: span))
        }
    }

    /// The text. Octets that are not UTF-8 become U+FFFD.
    package var string: String {
        switch storage {
        case .utf8(let string): string
        case .octets(let octets): String(decoding: octets, as: UTF8.self)
        }
    }

    /// The octets on the wire.
    package var bytes: [UInt8] {
        switch storage {
        case .utf8(let string): Array(string.utf8)
        case .octets(let octets): octets
        }
    }

    /// The number of octets on the wire.
    package var count: Int {
        switch storage {
        case .utf8(let string): string.utf8.count
        case .octets(let octets): octets.count
        }
    }

    /// Whether the octets are UTF-8, so that `string` loses nothing.
    package var isUTF8: Bool {
        switch storage {
        case .utf8: true
        case .octets: false
        }
    }

    @inline(__always)
    func write(to output: inout MutableSpan<UInt8>, at index: inout Int) {
        switch storage {
        case .utf8(let string): output.put(string.utf8.span, at: &index)
        case .octets(let octets): output.put(octets.span, at: &index)
        }
    }
}

extension IPPText: Hashable {
    // Strings are equal if they are canonically equivalent; texts are equal only if their octets are equal.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left.storage, right.storage) {
        case (.utf8(let left), .utf8(let right)): left.utf8.elementsEqual(right.utf8)
        case (.octets(let left), .octets(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch storage {
        case .utf8(let string): hasher.combine(string)
        case .octets(let octets): hasher.combine(octets)
        }
    }
}

extension IPPText: ExpressibleByStringInterpolation, CustomStringConvertible {
    package init(stringLiteral value: String) { self.init(value) }
    package var description: String { string }
}
