import PrintModel

/// Profiles that inherit from each other, read in the order that this asks for: parents first.
struct ProfileFamily {
    /// By name.
    private var readers: [String: ProfileReader]
    /// Of those that were read, as far as they could be.
    private var drafts: [String: PrinterProfile?] = [:]

    /// The profiles of all files, or all problems of all of them, in the order of their names.
    static func read(_ readers: [String: ProfileReader]) -> (profiles: [PrinterProfile], problems: [RegistryProblem]) {
        var family = ProfileFamily(readers: readers)
        let names = readers.keys.sorted()
        let profiles = names.compactMap { family.profile($0, descendants: []) }
        return (profiles, names.flatMap { family.readers[$0]?.list.sorted ?? [] })
    }

    private init(readers: [String: ProfileReader]) { self.readers = readers }

    private mutating func profile(_ name: String, descendants: [String]) -> PrinterProfile? {
        if let draft = drafts[name] { return draft }
        let parent = self.parent(of: name, descendants: descendants + [name])
        let draft = readers[name]?.profile(over: parent)
        drafts[name] = .some(draft)
        return draft
    }

    /// Nil where there is none, or one that cannot be: that is a problem then.
    private mutating func parent(of name: String, descendants: [String]) -> PrinterProfile? {
        guard let parent = readers[name]?.parent else { return nil }
        guard readers[parent.name] != nil else {
            let others = readers.keys.filter { $0 != name }.sorted()
            readers[name]?.list.add(
                "there is no profile \"\(parent.name)\" to inherit from", at: parent.position,
                instead: Suggestion.instead(of: parent.name, among: others, otherwise: "the name of another profile"))
            return nil
        }
        if let start = descendants.firstIndex(of: parent.name) {
            let circle = (descendants[start...] + [parent.name]).joined(separator: " → ")
            readers[name]?.list.add(
                "the profile inherits from itself: \(circle)", at: parent.position,
                instead: "a profile that does not inherit from this one")
            return nil
        }
        return profile(parent.name, descendants: descendants)
    }
}
