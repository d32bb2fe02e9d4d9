import PrintModel

/// What a host was found to have, by asking it once.
struct HostFacts: Hashable, Sendable {
    /// Whose `lpr` it has; nil where its words are nobody's.
    var dialect: LprSettings.Dialect?
    /// Those of `programNames` that it has.
    var programs: Set<String> = []
    /// `head -c` reads no octet more than it passes on, so that a last line can follow a document.
    var hasExactHead = false

    static let programNames = ["lpr", "lpq", "lprm", "lpstat", "lpoptions", "pdftops", "psselect", "psnup"]

    /// Answers with what the host has, a word and its value a line.
    static let probe = ShellScript(
        """
        echo \(ShellScript.answerMark);
        for program in \(programNames.joined(separator: " ")); do command -v "$program" >/dev/null 2>&1 && echo "program $program"; done;
        [ "$(printf "ab\\n" | { head -c 1 >/dev/null 2>&1; IFS= read -r rest; printf %s "$rest"; })" = b ] && echo "head exact";
        lpr -V </dev/null 2>&1 | head -n 3 | while IFS= read -r line; do echo "lpr $line"; done;
        echo end;
        """)

    /// Nil where the answer did not come to its end.
    init?(_ answer: [Substring]) {
        guard answer.contains("end") else { return nil }
        for line in answer {
            let (word, value) = line.splitOnce(at: " ")
            guard let value else { continue }
            switch word {
            case "program": programs.insert(String(value))
            case "head": hasExactHead = value == "exact"
            case "lpr": dialect = dialect ?? Self.dialect(saying: value)
            default: break
            }
        }
    }

    /// Asked for `-V`, LPRng tells its version, and the others have no such option and say so each in their own way.
    private static func dialect(saying line: Substring) -> LprSettings.Dialect? {
        if line.hasPrefix("LPRng") { return .lprng }
        if line.contains("rror - unknown option") { return .cups }
        if line.hasPrefix("usage: ") || line.contains("illegal option") || line.contains("invalid option") {
            return .bsd
        }
        return nil
    }
}
