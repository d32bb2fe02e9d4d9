/// Reads HTML as strictly as it is written here: every tag closed in its order, attributes in double quotes.
struct MarkupReader {
    struct Element {
        var name: String
        var attributes: [String: String]
        /// The names of the elements around it, outermost first.
        var path: [String]
    }

    struct Malformed: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var elements: [Element] = []
    /// The text between the tags, still escaped.
    private(set) var text = ""

    private static let void: Set<String> = ["meta", "link", "input", "br", "img", "hr"]

    init(_ markup: String) throws {
        var rest = markup[...]
        var open: [String] = []
        while let start = rest.firstIndex(of: "<") {
            text += rest[..<start]
            guard let end = Self.end(of: rest[start...]) else { throw Malformed(description: "a tag does not end") }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("!DOCTYPE") { continue }
            if tag.hasPrefix("/") {
                let name = String(tag.dropFirst())
                guard open.last == name else { throw Malformed(description: "</\(name)> closes \(open)") }
                open.removeLast()
                continue
            }
            let isClosed = tag.hasSuffix("/")
            let element = try Self.element(isClosed ? tag.dropLast() : tag, in: open)
            elements.append(element)
            if !isClosed, !Self.void.contains(element.name) { open.append(element.name) }
        }
        text += rest
        guard open.isEmpty else { throw Malformed(description: "\(open) are not closed") }
    }

    /// The index of the `>` that ends a tag, outside of quoted values.
    private static func end(of tag: Substring) -> Substring.Index? {
        var isQuoted = false
        for index in tag.indices {
            if tag[index] == "\"" { isQuoted.toggle() }
            if tag[index] == ">", !isQuoted { return index }
        }
        return nil
    }

    private static func element(_ tag: Substring, in open: [String]) throws -> Element {
        let name = tag.prefix { $0 != " " }
        guard !name.isEmpty, name.allSatisfy({ $0.isLowercase || $0.isNumber }) else {
            throw Malformed(description: "<\(tag)> has no name")
        }
        var element = Element(name: String(name), attributes: [:], path: open)
        var rest = tag.dropFirst(name.count).drop(while: \.isWhitespace)
        while !rest.isEmpty {
            let key = rest.prefix { $0 != "=" && !$0.isWhitespace }
            guard !key.isEmpty, key.allSatisfy({ $0.isLowercase || $0 == "-" }), element.attributes[String(key)] == nil
            else { throw Malformed(description: "<\(tag)> has a bad attribute \(key)") }
            rest = rest.dropFirst(key.count)
            var value = ""
            if rest.hasPrefix("=") {
                guard rest.hasPrefix("=\""), let end = rest.dropFirst(2).firstIndex(of: "\"") else {
                    throw Malformed(description: "<\(tag)> has a value without quotes")
                }
                value = String(rest.dropFirst(2)[..<end])
                rest = rest[rest.index(after: end)...]
                guard rest.isEmpty || rest.first?.isWhitespace == true else {
                    throw Malformed(description: "<\(tag)> has no space after a value")
                }
            }
            element.attributes[String(key)] = value
            rest = rest.drop(while: \.isWhitespace)
        }
        return element
    }
}
