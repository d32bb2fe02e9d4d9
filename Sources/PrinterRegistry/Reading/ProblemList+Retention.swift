import PrintModel

extension ProblemList {
    /// How long jobs are kept: the kinds of its values. Their bounds are `RegistryRules`' matter.
    mutating func retention(_ node: YAMLNode, path: String) -> Retention? {
        guard let values = mapping(node, of: "keep", keys: Vocabulary.retentionKeys, path: path) else { return nil }
        return Retention(
            jobs: values["jobs"].flatMap { seconds($0, "jobs") },
            documents: values["documents"].flatMap { seconds($0, "documents") },
            size: values["size"].flatMap { bytes($0, "size") })
    }

    /// Whole bytes: `500000`, or with a unit `500kB`, `200MB`, `2GB`.
    private mutating func bytes(_ node: YAMLNode, _ what: String) -> Int64? {
        if let text = node.text, let bytes = ByteCounts.bytes(of: text) { return bytes }
        add(
            "\(what) is no size\(quoted(node))", at: node.position,
            instead: "bytes, or a number with its unit such as 500kB, 200MB or 2GB")
        return nil
    }
}
