/// The limits of a YAML file. Yams recurses once for each level and copies the targets of aliases, so both are limited
/// in the text, before it is parsed. The limits are far above what a registry needs.
enum YAMLLimits {
    /// Bytes. A thousand printers need about 200 kB.
    static let maximumLength = 1 << 20
    private static let maximumIndentation = 64
    private static let maximumOpenBrackets = 32
    private static let maximumIndicators = 16
    /// Aliases are always refused; so few of them cannot expand to much before that.
    private static let maximumAliases = 16
    /// More problems would only hide the first.
    static let maximumProblems = 100

    /// The reason why a text must not be parsed; nil when it may be.
    static func problem(of text: SourceText) -> (position: TextPosition, message: String, instead: String)? {
        var (open, aliases) = (0, 0)
        for start in text.lineStarts {
            let content = text.skippingBlanks(from: start)
            if text.isBlankOrComment(lineOf: start) { continue }
            if content - start > maximumIndentation {
                return (
                    text.position(of: content), "the line is indented by more than \(maximumIndentation) columns",
                    "it further left"
                )
            }
            if let index = tooManyIndicators(in: text, from: content) {
                return (
                    text.position(of: index), "too many lists or mappings begin in one line",
                    "each in a line of its own"
                )
            }
            for index in content..<text.lineEnd(of: content) {
                switch text.scalars[index] {
                case "[", "{":
                    open += 1
                    if open > maximumOpenBrackets {
                        return (
                            text.position(of: index), "more than \(maximumOpenBrackets) brackets are open here",
                            "fewer levels"
                        )
                    }
                case "]", "}": open = max(0, open - 1)
                case "*" where isAlias(in: text, at: index):
                    aliases += 1
                    if aliases > maximumAliases {
                        return (text.position(of: index), "aliases (*name) are not supported", "the value itself")
                    }
                default: break
                }
            }
        }
        return nil
    }

    /// The index where there are too many indicators, as in `- - ? - …`; each opens a level.
    private static func tooManyIndicators(in text: SourceText, from start: Int) -> Int? {
        var (index, count) = (start, 0)
        while index + 1 < text.end, "-?:".unicodeScalars.contains(text.scalars[index]),
            SourceText.isBlank(text.scalars[index + 1])
        {
            count += 1
            if count > maximumIndicators { return index }
            index = text.skippingBlanks(from: index + 1)
        }
        return nil
    }

    private static func isAlias(in text: SourceText, at index: Int) -> Bool {
        guard index + 1 < text.end,
            text.scalars[index + 1].properties.isAlphabetic || text.scalars[index + 1].properties.numericType != nil
        else { return false }
        return index == 0 || " \t[{,:-?\n\r".unicodeScalars.contains(text.scalars[index - 1])
    }
}
