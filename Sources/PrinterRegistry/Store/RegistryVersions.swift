import DurableFiles

/// The contents that a registry's file had, kept beside it as `printers.yaml.~1~`, `printers.yaml.~2~` …: the highest
/// number is the newest, and equals the registry in force; ten previous ones stand below it.
///
/// A content is kept as soon as it is in force, not when it is replaced: a person's edit replaces it without asking.
/// Every call blocks.
struct RegistryVersions {
    let path: String

    /// The one in force, and ten previous.
    private static let maximumCount = 11

    /// The numbers of the versions that exist, newest first.
    private func numbers() throws(FileError) -> [Int] {
        let prefix = "\(Folder.name(of: path)).~"
        return try Folder.names(in: Folder.parent(of: path))
            .compactMap { name in
                guard name.hasPrefix(prefix), name.hasSuffix("~") else { return nil }
                return Int(name.dropFirst(prefix.count).dropLast())
            }
            .filter { $0 > 0 }
            .sorted(by: >)
    }

    private func path(of number: Int) -> String { "\(path).~\(number)~" }

    /// Keeps a content, unless it is the newest already, and removes what is older than ten previous ones.
    func keep(_ bytes: [UInt8]) throws(FileError) {
        let numbers = try numbers()
        if let newest = numbers.first, try AtomicFile.read(path(of: newest), limit: YAMLLimits.maximumLength) == bytes {
            return
        }
        let (next, overflow) = (numbers.first ?? 0).addingReportingOverflow(1)
        guard !overflow else { return }
        try AtomicFile.replace(path(of: next), with: bytes, permissions: 0o640)
        for number in numbers.dropFirst(Self.maximumCount - 1) { try Folder.remove(file: path(of: number)) }
    }

    /// The newest content that is a valid registry; nil where there is none.
    func newestGood(
        _ read: ([UInt8]) -> RegistryReader.Output?
    ) throws(FileError) -> (bytes: [UInt8], output: RegistryReader.Output)? {
        for number in try numbers() {
            // One that cannot be read, or that others could have put there, is no good one; an older may be.
            guard let bytes = try? ProtectedFile.read(path(of: number), limit: YAMLLimits.maximumLength),
                let output = read(bytes)
            else { continue }
            return (bytes, output)
        }
        return nil
    }
}
