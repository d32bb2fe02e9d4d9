import Glibc
import NIOCore
import PrintModel

/// The file that a document's bytes go to as they come. Writing blocks the printer's own thread for as long as the
/// kernel needs to take them, and so nothing more is read meanwhile.
final class DocumentFile {
    let number: Int
    let path: String
    private(set) var bytes: Int64 = 0
    private var descriptor: Int32

    /// Names the file after what the first bytes look like, or else after the announced format.
    init(folder: String, number: Int, format: String, firstBytes: ByteBuffer) throws(SimulatedPrinterError) {
        let looks = DocumentFormat(firstBytes: firstBytes.readableBytesView.prefix(16))
        self.number = number
        path = "\(folder)/job-\(number).\((looks ?? DocumentFormat(format) ?? .octetStream).fileEnding)"
        // The name begins with our own number, so an existing file is from a former run and may go.
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
    fileprivate var fileEnding: String {
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
