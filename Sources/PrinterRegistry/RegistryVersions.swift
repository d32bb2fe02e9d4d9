import Glibc
import KioskDurableFiles
public import KioskPrintModel

/// One version of a registry file.
public struct RegistryVersion: Hashable, Sendable, Identifiable {
    /// Its number: the highest is the newest.
    public var number: Int
    /// When it came into force.
    public var savedAt: Timestamp
    /// The file's text.
    public var content: [UInt8]

    /// The number.
    public var id: Int { number }
}

/// The versions of a registry file, stored beside it as `printers.yaml.~1~`, `printers.yaml.~2~` …: the highest number
/// is the newest, with the content in force, and ten previous ones.
///
/// A content is stored as soon as it is in force, not when it is replaced: a person's edit gives no notice. Every call
/// blocks.
struct RegistryVersions {
    let path: String

    /// The one in force, and ten previous ones.
    private static let maximumCount = 11

    /// The numbers of the versions that exist, newest first.
    func numbers() throws(FileError) -> [Int] {
        let prefix = "\(Folder.name(of: path)).~"
        return try Folder.names(in: Folder.parent(of: path))
            .compactMap { name in
                guard name.hasPrefix(prefix), name.hasSuffix("~") else { return nil }
                return Int(name.dropFirst(prefix.count).dropLast())
            }
            .filter { $0 > 0 }
            .sorted(by: >)
    }

    func path(of number: Int) -> String { "\(path).~\(number)~" }

    /// The versions that exist, newest first, without those that cannot be read or that others could have written.
    func list() throws(FileError) -> [RegistryVersion] {
        try numbers().compactMap { number in
            guard let content = try? content(of: number) else { return nil }
            var status = stat()
            guard stat(path(of: number), &status) == 0 else { return nil }
            let time = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
            return RegistryVersion(
                number: number, savedAt: Timestamp(millisecondsSince1970: time), content: content)
        }
    }

    /// The content of a version.
    func content(of number: Int) throws(FileError) -> [UInt8] {
        try ProtectedFile.read(path(of: number), limit: YAMLLimits.maximumLength)
    }

    /// Stores a content, unless it is the newest already, and removes all but ten previous ones.
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
    func newestValid(
        _ read: ([UInt8]) -> RegistryReader.Output?
    ) throws(FileError) -> (bytes: [UInt8], output: RegistryReader.Output)? {
        for number in try numbers() {
            // Skip a version that cannot be read, or that others could have written; an older one may be valid.
            guard let bytes = try? ProtectedFile.read(path(of: number), limit: YAMLLimits.maximumLength),
                let output = read(bytes)
            else { continue }
            return (bytes, output)
        }
        return nil
    }
}
