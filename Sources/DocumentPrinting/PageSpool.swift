import CKioskLinux
import Dispatch
import Glibc
import KioskAsyncPrimitives
import KioskPrintModel
import Synchronization

/// The pages of one document as they are rendered: a file without a name that grows while a transport reads it. What
/// was read can be read again. Its renderer waits while it is more than `maximumLead` ahead of the reader.
///
/// The file is not synced: after a crash the job's document is rendered anew.
final class PageSpool: DocumentStream {
    /// The path by which others open the file, which has no name in any folder (proc(5), open(2) `O_TMPFILE`).
    let path: String
    /// The number of sides that will come out, of all copies together.
    let pageCount: Int

    private let headerLength: Int64

    fileprivate struct State {
        var length: Int64 = 0
        /// The offsets behind the last byte of each page.
        var pageEnds: [Int64] = []
        /// The furthest offset that was read.
        var readUpTo: Int64 = 0
        /// Whether somebody waits for all of it: then nothing else waits for a reader.
        var isWantedWhole = false
        var end: End?
    }

    fileprivate enum End {
        case complete
        case failed(DocumentProblem)
    }

    private let state = Mutex(State())
    private let appended = AsyncSignal()
    private let consumed = AsyncSignal()
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "page-spool")

    /// How far rendering may be ahead of the transport, in bytes.
    fileprivate static let maximumLead: Int64 = 16 << 20
    /// How many whole pages it may be ahead.
    fileprivate static let maximumLeadPages = 4

    /// Why a file for pages cannot be written.
    struct FileError: Error, CustomStringConvertible {
        var description: String
    }

    /// Opens a file on the file system of `folder`.
    /// `headerLength`: the bytes before the first page, which are not repeated with it.
    init(in folder: String, pageCount: Int, headerLength: Int64) throws(FileError) {
        descriptor = clinux_unnamed_file(folder)
        guard descriptor >= 0 else {
            throw FileError(
                description: "\(folder) takes no file for rendered pages (\(String(cString: strerror(errno))))")
        }
        path = "/proc/self/fd/\(descriptor)"
        self.pageCount = pageCount
        self.headerLength = headerLength
    }

    deinit { close(descriptor) }

    // MARK: Reading

    var renderedLength: Int64 { state.withLock(\.length) }

    var isRendered: Bool { state.withLock { if case .complete = $0.end { true } else { false } } }

    var failure: DocumentProblem? { state.withLock { if case .failed(let problem) = $0.end { problem } else { nil } } }

    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        while true {
            try Task.checkCancellation()
            let available = try state.withLock { state throws -> Int64? in
                state.readUpTo = max(state.readUpTo, min(offset, state.length))
                if state.length > offset { return state.length - offset }
                switch state.end {
                case nil: return nil
                case .complete: return 0
                case .failed(let problem): throw DocumentStreamFailure(problem)
                }
            }
            guard let available else {
                consumed.raise()
                await appended.wait()
                continue
            }
            let wanted = Int(min(Int64(count), available))
            guard wanted > 0 else { return [] }
            let bytes = try await readFile(wanted, at: offset)
            state.withLock { $0.readUpTo = max($0.readUpTo, offset + Int64(bytes.count)) }
            consumed.raise()
            return bytes
        }
    }

    func waitUntilRendered() async throws {
        state.withLock { $0.isWantedWhole = true }
        consumed.raise()
        while true {
            try Task.checkCancellation()
            switch state.withLock(\.end) {
            case nil: await appended.wait()
            case .complete: return
            case .failed(let problem): throw DocumentStreamFailure(problem)
            }
        }
    }

    /// Waits until the first page is there whole, so that a document that cannot be rendered at all fails before
    /// anything is sent.
    func waitForFirstPage() async throws {
        while true {
            try Task.checkCancellation()
            let (hasPage, end) = state.withLock { (!$0.pageEnds.isEmpty, $0.end) }
            if case .failed(let problem) = end { throw DocumentStreamFailure(problem) }
            if hasPage || end != nil { return }
            await appended.wait()
        }
    }

    var isAwaited: Bool { state.withLock { $0.isWantedWhole && $0.end == nil } }

    func pages(in bytes: Int64) -> Int {
        state.withLock { state in
            // The number of ends up to there, by halving: there may be thousands.
            var (low, high) = (0, state.pageEnds.count)
            while low < high {
                let middle = (low + high) / 2
                if state.pageEnds[middle] <= bytes { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private func readFile(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        let result: Result<[UInt8], FileError> = await withCheckedContinuation { continuation in
            queue.async { [descriptor] in
                var bytes = [UInt8](repeating: 0, count: count)
                var filled = 0
                while filled < count {
                    let start = filled
                    let received = bytes.withUnsafeMutableBytes {
                        pread(descriptor, $0.baseAddress! + start, count - start, Int(offset) + start)
                    }
                    if received < 0, errno == EINTR { continue }
                    guard received > 0 else {
                        return continuation.resume(returning: .failure(Self.failure("read")))
                    }
                    filled += received
                }
                continuation.resume(returning: .success(bytes))
            }
        }
        do {
            return try result.get()
        } catch {
            throw DocumentStreamFailure(DocumentProblem(.interrupted, DocumentRemark(message: error.description)))
        }
    }

    // MARK: Writing

    /// Appends rendered bytes, and waits while they are too far ahead of the reader. `endsPage`: a page ends with them.
    func append(_ bytes: [UInt8], endsPage: Bool = false) async throws {
        if !bytes.isEmpty {
            let offset = renderedLength
            guard hasRoom else { throw DocumentStreamFailure(Self.noRoom) }
            let result: Result<Void, FileError> = await withCheckedContinuation { continuation in
                queue.async { [descriptor] in
                    continuation.resume(returning: Self.write(bytes, to: descriptor, at: offset))
                }
            }
            try result.get()
        }
        state.withLock { state in
            state.length += Int64(bytes.count)
            if endsPage { state.pageEnds.append(state.length) }
        }
        appended.raise()
        while state.withLock({ $0.isTooFarAhead }) {
            try Task.checkCancellation()
            await consumed.wait()
        }
    }

    /// Whether the file system keeps room for the queue beside this file.
    private var hasRoom: Bool {
        var space = statvfs()
        guard fstatvfs(descriptor, &space) == 0 else { return true }
        return UInt64(space.f_bavail) * UInt64(space.f_frsize) >= Self.reserve
    }

    private static let reserve: UInt64 = 64 << 20
    private static let noRoom = DocumentProblem(
        .tooLarge, DocumentRemark(message: "it needs more room than is left on the disk of the state directory"))

    /// Appends the bytes of an earlier page once more, for another copy.
    func repeatPage(_ page: Int) async throws {
        let range = state.withLock { state in
            (page == 0 ? headerLength : state.pageEnds[page - 1])..<state.pageEnds[page]
        }
        // A white piece of a roll has no bytes, and is a page all the same.
        if range.isEmpty { return try await append([], endsPage: true) }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(Int64(Self.copyLength), range.upperBound - offset))
            let bytes = try await readFile(count, at: offset)
            offset += Int64(count)
            try await append(bytes, endsPage: offset == range.upperBound)
        }
    }

    /// Ends the document with what was appended.
    func complete() { end(.complete) }

    /// Ends the document short of its end.
    func fail(_ problem: DocumentProblem) { end(.failed(problem)) }

    private func end(_ end: End) {
        state.withLock { $0.end = $0.end ?? end }
        appended.raise()
        consumed.raise()
    }

    private static let copyLength = 1 << 20

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int64) -> Result<Void, FileError> {
        var written = 0
        while written < bytes.count {
            let start = written
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + start, $0.count - start, Int(offset) + start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .failure(failure("write")) }
            written += count
        }
        return .success(())
    }

    private static func failure(_ act: String) -> FileError {
        FileError(
            description:
                "rendered pages cannot be \(act == "read" ? "read" : "written") (\(String(cString: strerror(errno))))")
    }
}

extension PageSpool.State {
    fileprivate var isTooFarAhead: Bool {
        // Nothing is read before the first page is whole, however long that is.
        guard end == nil, !isWantedWhole, !pageEnds.isEmpty else { return false }
        let pagesAhead = pageEnds.count - (pageEnds.firstIndex { $0 > readUpTo } ?? pageEnds.count)
        return length - readUpTo > PageSpool.maximumLead || pagesAhead > PageSpool.maximumLeadPages
    }
}
