import PrintModel

extension LprSettings.Quota {
    /// The command for a queue and a user, its words coded.
    func words(queue: String, user: String) -> [String] {
        command.map { word in
            ShellWord.coded(word.replacing("%queue", with: queue).replacing("%user", with: user))
        }
    }

    /// The pages left, from what the command said; nil where it says nothing that the pattern finds.
    func pagesLeft(_ answer: [Substring]) -> Int? {
        // A pattern of a site's own may take its time on long texts.
        let text = answer.joined(separator: "\n").prefix(utf8Count: 4096)
        guard let pattern = try? Regex(pattern), let match = text.firstMatch(of: pattern), match.output.count > 1,
            let digits = match.output[1].substring, let pages = Int(digits)
        else { return nil }
        return pages
    }
}
