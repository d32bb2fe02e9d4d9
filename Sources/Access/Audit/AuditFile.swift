import FoundationEssentials
import Glibc
import KioskDurableFiles
import KioskPrintModel
import Synchronization

/// A file of the audit and its older parts: `audit.jsonl`, `audit.jsonl.1` (newer) to `audit.jsonl.4` (oldest). One
/// JSON object on each line, with numbers that go up. Every call blocks, and comes from one queue.
final class AuditFile: Sendable {
    let path: String
    private let maximumLength: Int
    private let kept: Int
    private let state: Mutex<State>

    private struct State: ~Copyable {
        /// Nil while it cannot be opened.
        var file: Descriptor?
        var length = 0
        /// Whether the last line has no end: a power cut or a full disk cut it off.
        var isCutOff = false
    }

    /// Bytes after which a new file is begun.
    static let standardLength = 4 << 20
    /// The older files that are kept.
    static let standardKept = 4

    /// The number of the newest entry at the start; 0 where there was none.
    let lastNumber: UInt64
    /// Where parts were moved that could not be used.
    let movedAside: [String]

    /// Opens the file, and makes it where there is none. A part that cannot be used is moved aside, for a person to
    /// look at. Where the disk is full, the file is opened with the first entry that finds room.
    init(
        path: String, maximumLength: Int = standardLength, kept: Int = standardKept, at now: Timestamp
    ) throws(AccessError) {
        self.path = path
        self.maximumLength = maximumLength
        self.kept = kept
        var movedAside: [String] = []
        var newest: UInt64?
        var isCutOff = false
        for index in 0...kept {
            let name = Self.name(path, index)
            do throws(FileError) {
                try Self.requireFile(name)
                guard newest == nil else { continue }
                let bytes = try AtomicFile.read(name, limit: maximumLength + Self.slack)
                if index == 0 { isCutOff = bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false }
                newest = Self.lastNumber(in: bytes)
            } catch {
                if error.isNotFound { continue }
                guard !Self.isExhaustion(error) else { throw AccessError(.storage, error.message) }
                if let new = try? Self.moveAside(name, at: now) { movedAside.append(new) }
            }
        }
        var file: Descriptor?
        do throws(FileError) {
            file = try Self.open(path)
        } catch {
            // Another user's, or one that may not be changed.
            if !Self.isExhaustion(error), let new = try? Self.moveAside(path, at: now) {
                movedAside.append(new)
                isCutOff = false
                file = try? Self.open(path)
            }
        }
        let length = Int(clamping: (try? file?.status().st_size) ?? 0)
        state = Mutex(State(file: file, length: length, isCutOff: isCutOff))
        lastNumber = newest ?? 0
        self.movedAside = movedAside
    }

    /// Appends entries, durably.
    func append(_ entries: [AuditEntry]) throws(AccessError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes: [UInt8] = []
        for entry in entries {
            guard let line = try? encoder.encode(entry) else { continue }
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        do throws(FileError) {
            try state.withLock { (state) throws(FileError) in
                if state.length > 0, state.length >= maximumLength { try rotate(&state) }
                if state.file == nil { state.file = try Self.open(path) }
                let lines = state.isCutOff ? [UInt8(ascii: "\n")] + bytes : bytes
                // Until all of it is written, some of it may be.
                state.isCutOff = true
                try state.file?.write(lines)
                state.length += lines.count
                state.isCutOff = false
                try state.file?.sync()
            }
        } catch {
            throw AccessError(.storage, error.message)
        }
    }

    /// The newest entries before a number, newest first. Lines that are not entries are passed over: a power cut may
    /// have cut one off.
    func entries(before number: UInt64?, limit: Int) throws(AccessError) -> [AuditEntry] {
        var found: [AuditEntry] = []
        for index in 0...kept where found.count < limit {
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try AtomicFile.read(Self.name(path, index), limit: maximumLength + Self.slack)
            } catch {
                if error.isNotFound { continue }
                throw AccessError(.storage, error.message)
            }
            Self.collect(&found, from: bytes, before: number, limit: limit)
        }
        return found
    }

    /// A file may be longer than its limit by what was appended at once.
    private static let slack = 64 << 20

    private static func collect(_ found: inout [AuditEntry], from bytes: [UInt8], before number: UInt64?, limit: Int) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        func entry(_ index: Int) -> AuditEntry? { try? decoder.decode(AuditEntry.self, from: Data(lines[index])) }
        // Numbers go up from line to line, so that the place of a page is found without reading the lines after it.
        var (low, high) = (0, lines.count)
        if let number {
            while low < high {
                let middle = low + (high - low) / 2
                // Of a line that cannot be read the one before it speaks.
                var index = middle
                while index > low, entry(index) == nil { index -= 1 }
                if let entry = entry(index), entry.number < number { low = middle + 1 } else { high = middle }
            }
        } else {
            low = lines.count
        }
        var index = low
        while index > 0, found.count < limit {
            index -= 1
            guard let entry = entry(index), number.map({ entry.number < $0 }) ?? true else { continue }
            found.append(entry)
        }
    }

    private static func name(_ path: String, _ index: Int) -> String { index == 0 ? path : "\(path).\(index)" }

    private func rotate(_ state: inout State) throws(FileError) {
        for index in (0..<kept).reversed() {
            let (old, new) = (Self.name(path, index), Self.name(path, index + 1))
            guard rename(old, new) == 0 || errno == ENOENT else {
                throw FileError(operation: "rename", path: old, errno: errno)
            }
        }
        // Where it cannot be opened now, nothing is put aside a second time.
        state = State()
        state.file = try Self.open(path)
        try Folder.sync(Folder.parent(of: path))
    }

    /// The number of a file's newest entry; nil where it has none.
    private static func lastNumber(in bytes: [UInt8]) -> UInt64? {
        var found: [AuditEntry] = []
        collect(&found, from: bytes, before: nil, limit: 1)
        return found.first?.number
    }

    /// Throws where something else than a file has its name: a folder, or a link to what may be anybody's.
    private static func requireFile(_ path: String) throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw FileError(operation: "open", path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(
                operation: "open", path: path, errno: EINVAL,
                message: "cannot write the audit to \(path): it is not a regular file; move it away")
        }
    }

    /// Whether it is the machine that has no room, and the file may be whole.
    private static func isExhaustion(_ error: FileError) -> Bool {
        [ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, ENOMEM].contains(error.errno)
    }

    /// Gives what has the file's name another one, `audit.jsonl.damaged-20261127T012609123`, and returns its path.
    private static func moveAside(_ path: String, at now: Timestamp) throws(FileError) -> String {
        let base = path + damagedMark + now.description.filter { $0.isNumber || $0 == "T" }
        var (new, number) = (base, 1)
        while access(new, F_OK) == 0 {
            number += 1
            new = "\(base)-\(number)"
        }
        guard rename(path, new) == 0 else { throw FileError(operation: "rename", path: path, errno: errno) }
        try Folder.sync(Folder.parent(of: path))
        return new
    }

    /// In the names of parts that were moved aside.
    private static let damagedMark = ".damaged-"

    /// The parts that were moved aside, now or at an earlier start, and that nobody has removed yet. Blocks.
    func damaged() -> [String] {
        let (folder, prefix) = (Folder.parent(of: path), Folder.name(of: path))
        let names = (try? Folder.names(in: folder)) ?? []
        return names.filter { $0.hasPrefix("\(prefix).") && $0.contains(Self.damagedMark) }.map { "\(folder)/\($0)" }
    }

    private static func open(_ path: String) throws(FileError) -> Descriptor {
        let file = try Descriptor(
            opening: path, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, permissions: 0o600)
        // The file may come from an earlier umask or hand.
        guard fchmod(file.number, 0o600) == 0 else { throw FileError(operation: "chmod", path: path, errno: errno) }
        return file
    }
}
