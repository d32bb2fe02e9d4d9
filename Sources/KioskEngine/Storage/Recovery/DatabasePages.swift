import Glibc
import KioskDurableFiles

/// The pages of a SQLite database, each in its newest version from file or write-ahead log, read without SQLite. SQLite
/// opens no file whose first page is damaged, reads nothing below a damaged page, and drops all of a log behind its
/// first damage.
///
/// https://www.sqlite.org/fileformat2.html. Blocks.
final class DatabasePages {
    let pageSize: Int
    /// The number of pages, including those that cannot be read.
    let count: Int
    /// The write-ahead log; nil where there is none.
    let log: WriteAheadLog?
    private let file: ReadableFile?

    /// `pageSize` is used where the file's header does not tell; `file` is the database's, where it is open already.
    /// Throws where a file is there and cannot be opened, such as for want of descriptors: without its log a sound
    /// database looks damaged.
    init(_ path: String, pageSize known: Int?, file opened: ReadableFile? = nil) throws(FileError) {
        if let opened { file = opened } else { file = try ReadableFile.open(path) }
        let header = file?.read(100, at: 0) ?? []
        let logFile = try ReadableFile.open(path + "-wal")
        pageSize =
            Self.pageSize(in: header) ?? known ?? logFile.flatMap(WriteAheadLog.pageSize(in:))
            ?? file.map(Self.likelyPageSize(of:)) ?? Self.newPageSize
        log = logFile.flatMap { [pageSize] in WriteAheadLog($0, pageSize: pageSize) }
        count = max((file?.length ?? 0) / pageSize, log?.lastPage ?? 0)
    }

    /// The newest content of a page, the first being 1; nil where the disk returns none.
    func page(_ number: Int) -> [UInt8]? {
        guard (1...max(count, 1)).contains(number) else { return nil }
        return log?.page(number) ?? file?.read(pageSize, at: (number - 1) * pageSize)
    }

    /// Whether the log had a newer version that cannot be read, so that what `page` returns is old.
    func isOld(_ number: Int) -> Bool { log.map { $0.hasUnknownDamage || $0.damagedPages.contains(number) } ?? false }

    /// Whether commits may be lost of which nothing tells how many there were.
    var isEndUnknown: Bool { log?.isEndUnknown ?? false }

    /// The pages on the free list; nil where the list is damaged. (Free pages still contain what they held before.)
    func freePages() -> Set<Int>? {
        guard let first = page(1), Self.pageSize(in: first) == pageSize, !isOld(1) else { return nil }
        var (trunk, free) = (first.number(at: 32, length: 4), Set<Int>())
        let announced = first.number(at: 36, length: 4)
        while trunk != 0 {
            guard trunk <= count, free.insert(trunk).inserted, !isOld(trunk), let page = page(trunk) else { return nil }
            let leaves = page.number(at: 4, length: 4)
            guard leaves <= pageSize / 4 - 2 else { return nil }
            for index in 0..<leaves {
                let leaf = page.number(at: 8 + 4 * index, length: 4)
                guard (2...max(count, 2)).contains(leaf), free.insert(leaf).inserted else { return nil }
            }
            trunk = page.number(at: 0, length: 4)
        }
        return free.count == announced ? free : nil
    }

    /// The page size of new queues. A receipt's document takes one page of this size and two or three of SQLite's usual
    /// one, which queues of earlier versions keep.
    static let newPageSize = 8192
    private static let oldPageSize = 4096

    /// The page size of a queue of whose header nothing is left: with pages of the old size, what stands amid those of
    /// the new size mostly begins like a page.
    private static func likelyPageSize(of file: ReadableFile) -> Int {
        var (pages, others) = (0, 0)
        for offset in stride(from: oldPageSize, to: file.length, by: newPageSize) {
            guard let bytes = file.read(oldPageSize, at: offset) else { continue }
            if DatabasePage(bytes, number: 2) != nil { pages += 1 } else { others += 1 }
        }
        return pages > others ? oldPageSize : newPageSize
    }

    static let magic = Array("SQLite format 3\0".utf8)

    private static func pageSize(in header: [UInt8]) -> Int? {
        guard header.count >= 100, header.starts(with: magic) else { return nil }
        let size = header.number(at: 16, length: 2)
        return size == 1 ? 65_536 : size >= 512 && size & (size - 1) == 0 ? size : nil
    }
}

/// A file that may be damaged.
///
/// When any descriptor of a file is closed, the process loses all of its locks on that file, SQLite's among them
/// (fcntl(2)); another program would then believe that nobody uses the database. So the file of a database that is in
/// use stays open for as long as that is.
final class ReadableFile: Sendable {
    private let descriptor: Descriptor

    private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// Nil where there is no such file, or the file system that it lies in is damaged.
    static func open(_ path: String) throws(FileError) -> ReadableFile? {
        do {
            return ReadableFile(try Descriptor(opening: path, flags: O_RDONLY))
        } catch  where [ENOENT, EIO, EUCLEAN, EBADMSG].contains(error.errno) {
            return nil
        }
    }

    /// The length in bytes.
    var length: Int { Int(clamping: lseek(descriptor.number, 0, SEEK_END)) }

    /// Reads bytes; nil where the disk does not return all of them.
    func read(_ length: Int, at offset: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: length)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor.number, $0.baseAddress, length, off_t(offset)) }
        return count == length ? bytes : nil
    }
}

/// A write-ahead log: commits that are not in the database's file yet.
final class WriteAheadLog {
    /// Pages whose newest commit cannot be read.
    private(set) var damagedPages: Set<Int> = []
    /// Whether a commit cannot be read and its page is not known.
    private(set) var hasUnknownDamage = false
    private(set) var lastPage = 0
    /// Whether a commit can be read behind one that cannot. A crash alone leaves no such log: each commit is on disk
    /// before the next begins.
    private(set) var isDamaged = false
    /// Whether a damaged log goes on behind the last commit that can be read: with a commit that was never
    /// acknowledged, or with some that were.
    private(set) var isEndUnknown = false

    private let file: ReadableFile
    private let pageSize: Int
    /// The offset of each page's newest content.
    private var places: [Int: Int] = [:]

    private static let headerLength = 32
    private static let frameHeaderLength = 24

    private struct Frame {
        var page: Int
        var isCommit: Bool
        var isSound: Bool
        /// Whether its header belongs to this log.
        var isOurs: Bool
    }

    /// Reads a log; nil for one without a whole header.
    init?(_ file: ReadableFile, pageSize: Int) {
        guard let header = file.read(Self.headerLength, at: 0) else { return nil }
        self.file = file
        self.pageSize = pageSize
        let frames = frames(behind: header)
        let commits = frames.indices.filter { frames[$0].isSound && frames[$0].isCommit }
        guard var last = commits.last else { return }
        if frames[((commits.dropLast().last ?? -1) + 1)...last].contains(where: { !$0.isSound }) {
            // The disk wrote the last commit's frames in another order, and the power went amid them: it was never
            // acknowledged.
            guard let before = commits.dropLast().last else { return }
            last = before
        }
        isDamaged = frames[...last].contains { !$0.isSound }
        isEndUnknown = isDamaged && frames[(last + 1)...].contains(where: \.isOurs)
        for (index, frame) in frames[...last].enumerated() {
            if frame.isSound {
                places[frame.page] = place(index) + Self.frameHeaderLength
                lastPage = max(lastPage, frame.page)
                damagedPages.remove(frame.page)
            } else if frame.isOurs {
                damagedPages.insert(frame.page)
            } else {
                hasUnknownDamage = true
            }
        }
    }

    /// The page size that a log's header tells; nil where it tells none.
    static func pageSize(in file: ReadableFile) -> Int? {
        guard let header = file.read(headerLength, at: 0) else { return nil }
        let (magic, size) = (header.number(at: 0, length: 4), header.number(at: 8, length: 4))
        return magic | 1 == 0x377f_0683 && size >= 512 && size <= 65_536 && size & (size - 1) == 0 ? size : nil
    }

    func page(_ number: Int) -> [UInt8]? { places[number].flatMap { file.read(pageSize, at: $0) } }

    private func place(_ index: Int) -> Int { Self.headerLength + index * (Self.frameHeaderLength + pageSize) }

    /// The frames behind the header. Each frame's checksum starts from the one stored in the frame before, so frames
    /// behind a damaged one can still be verified.
    private func frames(behind header: [UInt8]) -> [Frame] {
        let isBigEndian = header.number(at: 0, length: 4) == 0x377f_0683
        var seed = Checksum(header, at: 24)
        var isSeedKnown = Checksum().adding(header[..<24], isBigEndian: isBigEndian) == seed
        var salts = isSeedKnown ? Array(header[16..<24]) : nil
        var frames: [Frame] = []
        while let frame = file.read(Self.frameHeaderLength + pageSize, at: place(frames.count)) {
            let own = Array(frame[8..<16])
            salts = salts ?? own
            let written = Checksum(frame, at: 16)
            let isOurs = own == salts
            var isSound = isSeedKnown && isOurs
            if isSound {
                isSound =
                    seed.adding(frame[..<8], isBigEndian: isBigEndian).adding(
                        frame[Self.frameHeaderLength...], isBigEndian: isBigEndian) == written
            }
            let page = frame.number(at: 0, length: 4)
            frames.append(
                Frame(
                    page: page, isCommit: frame.number(at: 4, length: 4) != 0, isSound: isSound && page > 0,
                    isOurs: isOurs))
            (seed, isSeedKnown) = (written, true)
        }
        return frames
    }

    private struct Checksum: Equatable {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init() {}

        init(_ bytes: [UInt8], at offset: Int) {
            first = UInt32(bytes.number(at: offset, length: 4))
            second = UInt32(bytes.number(at: offset + 4, length: 4))
        }

        /// Adds bytes, a multiple of eight.
        func adding(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> Checksum {
            var sum = self
            bytes.withUnsafeBytes { raw in
                for place in stride(from: 0, to: raw.count - 7, by: 8) {
                    let (one, two) = (
                        raw.loadUnaligned(fromByteOffset: place, as: UInt32.self),
                        raw.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                    )
                    sum.first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ sum.second
                    sum.second &+= (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ sum.first
                }
            }
            return sum
        }
    }
}

extension [UInt8] {
    /// A big-endian number of up to seven bytes; bytes beyond the end count as zero.
    func number(at offset: Int, length: Int) -> Int {
        (0..<length).reduce(0) { $0 << 8 | (indices.contains(offset + $1) ? Int(self[offset + $1]) : 0) }
    }
}
