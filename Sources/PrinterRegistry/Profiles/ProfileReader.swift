import PrintModel

/// Reads one profile file.
struct ProfileReader {
    private var list: ProblemList

    /// The profile, or what is wrong with its file.
    static func read(_ bytes: [UInt8], file: String, name: String) -> (profile: PrinterProfile?, problems: [RegistryProblem]) {
        let (root, _, problems) = YAMLComposer.compose(bytes, file: file)
        var reader = ProfileReader(list: ProblemList(file: file, problems: problems))
        guard let root, !root.isNull else {
            if problems.isEmpty {
                reader.list.add("the profile is empty", at: .start, instead: "name, description and job-types")
            }
            return (nil, reader.list.sorted)
        }
        let profile = reader.profile(root, name: name)
        return (reader.list.problems.isEmpty ? profile : nil, reader.list.sorted)
    }

    private mutating func profile(_ root: YAMLNode, name: String) -> PrinterProfile? {
        guard let values = list.mapping(root, of: "a profile", keys: Vocabulary.profileKeys, path: "") else { return nil }
        for key in Vocabulary.profileKeys where values[key] == nil {
            list.add("the profile lacks its \(key)", at: root.position, instead: "\(key): …")
        }
        guard let nameNode = values["name"], let descriptionNode = values["description"], let jobTypesNode = values["job-types"]
        else { return nil }
        let written = list.text(nameNode, "the name", instead: name)
        let description = list.text(descriptionNode, "the description", instead: "one line for people")
        let jobTypes = list.jobTypes(jobTypesNode)
        if let written, written != name {
            list.add("the profile's name \"\(written)\" is not that of its file", at: nameNode.position, instead: name)
        }
        if let description, description.hasControlCharacters || description.utf8.count > RegistryRules.maximumTextLength {
            list.add("the description is too long or not one line", at: descriptionNode.position, instead: "one line of at most \(RegistryRules.maximumTextLength) bytes")
        }
        if let jobTypes, jobTypes.isEmpty, jobTypesNode.items?.isEmpty == true {
            list.add("the profile has no job type", at: jobTypesNode.position, instead: "at least one of \(Vocabulary.jobTypes)")
        }
        guard let written, let description, let jobTypes else { return nil }
        return PrinterProfile(name: written, description: description, jobTypes: jobTypes)
    }
}
