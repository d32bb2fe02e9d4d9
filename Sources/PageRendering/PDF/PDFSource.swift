import CKioskPDFium
import Glibc
package import KioskRenderingMessages

/// What a document is read from: a file, with bytes before and behind it where they make it a PDF.
package final class PDFSource {
    /// Bytes of the file.
    let length: Int
    /// Whether the document says how large its pages are.
    let hasStatedSize: Bool
    /// The file's, or -1.
    let descriptor: Int32
    private let prefix: UnsafeMutableBufferPointer<UInt8>
    private let suffix: UnsafeMutableBufferPointer<UInt8>
    // PDFium has its address.
    private let source: UnsafeMutablePointer<cpdfium_source>
    /// The owner of the descriptor, where it is another one.
    private let owner: PDFSource?

    /// Reads a whole file, and takes over its descriptor.
    package convenience init(_ descriptor: Int32) throws(RenderingRefusal) {
        var length: UInt = 0
        let failure = cpdfium_file_length(descriptor, &length)
        guard failure == 0, let length = Int(exactly: length) else {
            close(descriptor)
            throw RenderingRefusal(.rendering, "the document cannot be read (\(String(cString: strerror(failure))))")
        }
        self.init(descriptor, length, prefix: [], suffix: [], hasStatedSize: true, owner: nil)
    }

    /// Reads the same file with bytes before and behind it.
    convenience init(_ owner: PDFSource, prefix: [UInt8], suffix: [UInt8], hasStatedSize: Bool) {
        self.init(
            owner.descriptor, owner.length, prefix: prefix, suffix: suffix, hasStatedSize: hasStatedSize, owner: owner)
    }

    /// Has no file, but so many bytes of memory that are filled between what stands before and behind them.
    convenience init(
        prefix: [UInt8], count: Int, suffix: [UInt8], hasStatedSize: Bool,
        fill: (UnsafeMutableRawBufferPointer) throws(RenderingRefusal) -> Void
    ) throws(RenderingRefusal) {
        self.init(-1, 0, prefix: prefix, gap: count, suffix: suffix, hasStatedSize: hasStatedSize, owner: nil)
        try fill(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: self.prefix[prefix.count...])))
    }

    /// Has a whole PDF in memory.
    convenience init(bytes: [UInt8]) {
        self.init(-1, 0, prefix: bytes, suffix: [], hasStatedSize: true, owner: nil)
    }

    private init(
        _ descriptor: Int32, _ length: Int, prefix: [UInt8], gap: Int = 0, suffix: [UInt8], hasStatedSize: Bool,
        owner: PDFSource?
    ) {
        (self.descriptor, self.length, self.hasStatedSize, self.owner) = (descriptor, length, hasStatedSize, owner)
        self.prefix = .allocate(capacity: prefix.count + gap)
        let rest = self.prefix.initialize(from: prefix).index
        self.prefix[rest...].initialize(repeating: 0)
        self.suffix = .allocate(capacity: suffix.count)
        _ = self.suffix.initialize(from: suffix)
        source = .allocate(capacity: 1)
        source.initialize(
            to: cpdfium_source(
                prefix: self.prefix.baseAddress, suffix: self.suffix.baseAddress,
                prefix_length: UInt(self.prefix.count),
                suffix_length: UInt(suffix.count), descriptor: descriptor, file_length: UInt(length)))
    }

    deinit {
        if owner == nil, descriptor >= 0 { close(descriptor) }
        prefix.deallocate()
        suffix.deallocate()
        source.deallocate()
    }

    /// Bytes that are in memory.
    var memory: Int { prefix.count + suffix.count }

    /// What PDFium reads it by, as long as this lives.
    var file: cpdfium_file {
        let total = UInt(prefix.count) + UInt(length) + UInt(suffix.count)
        return cpdfium_file(length: total, read: cpdfium_read, context: source)
    }

    /// The names of the graphics states of `PicturePage`: tones as they are, and mapped to light.
    static let (plainState, linearLightState) = ("/N", "/L")

    /// The place of the graphics state's name in what stands before a picture; nil where there is no picture.
    private var statePlace: Int? {
        for name in [Self.plainState, Self.linearLightState] {
            let line = Array("\n\(name) gs ".utf8)
            let places = 0..<max(min(prefix.count, Self.maximumHead) - line.count, 0)
            if let place = places.first(where: { prefix[$0..<$0 + line.count].elementsEqual(line) }) {
                return place + 2
            }
        }
        return nil
    }

    private static let maximumHead = 2_048

    /// Whether it is a page of one picture, which can be drawn in linear light.
    var hasLinearLight: Bool { statePlace != nil }

    /// Has the picture mapped to light, or not. Returns whether this changes the page, which is to be read again then.
    @discardableResult func setLinearLight(_ isLinear: Bool) -> Bool {
        let name = Array((isLinear ? Self.linearLightState : Self.plainState).utf8)[1]
        guard let place = statePlace, prefix[place] != name else { return false }
        prefix[place] = name
        return true
    }

    /// At most so many bytes of the file from a place on; fewer at its end, or where it cannot be read.
    func bytes(at place: Int, atMost count: Int) -> [UInt8] {
        let count = max(min(count, length - place), 0)
        guard place >= 0, count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        return cpdfium_read_file(descriptor, UInt(place), &bytes, UInt(count)) != 0 ? bytes : []
    }
}
