import FoundationEssentials
import Glibc
import KioskPrintModel
import NIOCore

/// The folder of the received documents: the caller's, or a temporary one that is removed with this value.
final class SpoolFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    /// Creates the folder if it does not exist; nil creates a temporary one.
    init(_ path: String?) throws(SimulatedPrinterError) {
        isTemporary = path == nil
        guard let path else {
            self.path = try Self.makeTemporaryFolder()
            return
        }
        self.path = path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            let reason = code.map { String(cString: strerror($0)) } ?? "\(error)"
            throw SimulatedPrinterError("The folder \(path) cannot be created: \(reason). Choose a writable folder.")
        }
    }

    deinit {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func makeTemporaryFolder() throws(SimulatedPrinterError) -> String {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/simulated-printer-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .errno("mkdtemp", parent, errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// The file that a document's bytes go to as they arrive. Writing blocks the printer's own thread for as long as the
/// kernel needs to take them, so that nothing more is read meanwhile.
final class DocumentFile {
    let number: Int
    let path: String
    private(set) var bytes: Int64 = 0
    private var descriptor: Int32

    /// Names the file after what the first bytes look like, or else after the announced format.
    init(folder: String, number: Int, format: String, firstBytes: ByteBuffer) throws(SimulatedPrinterError) {
        let detected = DocumentFormat(firstBytes: firstBytes.readableBytesView.prefix(16))
        self.number = number
        path = "\(folder)/job-\(number).\((detected ?? DocumentFormat(format) ?? .octetStream).fileNameExtension)"
        // The name begins with our own number, so an existing file is from a former run and may be overwritten.
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .errno("create", path, errno) }
    }

    deinit { close() }

    func write(_ buffer: ByteBuffer) throws(SimulatedPrinterError) {
        let failure = buffer.withUnsafeReadableBytes { source -> Int32 in
            var rest = source[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
        guard failure == 0 else { throw .errno("write", path, failure) }
        bytes += Int64(buffer.readableBytes)
    }

    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}

extension DocumentFormat {
    fileprivate var fileNameExtension: String {
        switch self {
        case .plainText: "txt"
        case .pdf: "pdf"
        case .postScript: "ps"
        case .pwgRaster: "pwg"
        case .appleRaster: "urf"
        case .jpeg: "jpg"
        case .png: "png"
        case .escPOS: "escpos"
        case .zpl: "zpl"
        default: "bin"
        }
    }
}
