import Foundation
import KioskTestSupport

/// Programs that others wrote, which read our pages: each returns the dots of the sides as it understands them.
enum RasterPeers {
    /// A side, and what the reader found in its header.
    struct Side {
        var picture: DotPicture
        var crossFeedTransform = 1
        var feedTransform = 1
        var isDuplex = false
        var isTumble = false
    }

    /// libcups, CUPS's own library.
    static func libcups(_ raster: [UInt8]) async throws -> [Side] {
        let script = """
            import ctypes, os, struct, sys
            cups = ctypes.CDLL("libcupsimage.so.2")
            cups.cupsRasterOpen.restype = ctypes.c_void_p
            raster = ctypes.c_void_p(cups.cupsRasterOpen(os.open(sys.argv[1], os.O_RDONLY), 0))
            header = ctypes.create_string_buffer(1796)
            while cups.cupsRasterReadHeader2(raster, header):
                number = lambda offset: struct.unpack_from("i", header.raw, offset)[0]
                length = number(392) * number(376)
                dots = ctypes.create_string_buffer(max(length, 1))
                if cups.cupsRasterReadPixels(raster, dots, length) != length: sys.exit("a short page")
                sys.stdout.buffer.write(struct.pack("7i", *[number(at) for at in (372, 376, 388, 456, 460, 272, 368)]))
                sys.stdout.buffer.write(dots.raw[:length])
            """
        let python = try InstalledProgram.path("python3", package: "python3")
        let bytes = try await output(of: python, ["-c", script], reading: raster)
        var sides: [Side] = []
        var position = 0
        while position < bytes.count {
            let numbers = (0..<7).map { index in
                let field = bytes[position + 4 * index..<position + 4 * index + 4]
                return Int(Int32(truncatingIfNeeded: field.reversed().reduce(0) { $0 << 8 | Int($1) }))
            }
            position += 28
            let (width, height, bits) = (numbers[0], numbers[1], numbers[2])
            let count = (width * bits + 7) / 8 * height
            let rows = Array(bytes[position..<position + count])
            position += count
            let picture =
                bits == 1
                ? try DotPicture(width: width, height: height, rows: rows)
                : try DotPicture(width: width, height: height, tones: rows, bytesPerPixel: bits / 8)
            // Apple Raster says nothing of transforms.
            sides.append(
                Side(
                    picture: picture, crossFeedTransform: numbers[3] == 0 ? 1 : numbers[3],
                    feedTransform: numbers[4] == 0 ? 1 : numbers[4], isDuplex: numbers[5] != 0,
                    isTumble: numbers[6] != 0))
        }
        return sides
    }

    /// The filter `rastertopdf` of cups-filters, whose PDF poppler draws; nil where it is not installed.
    static func rasterToPDF(_ raster: [UInt8], _ format: String, dpi: Int) async throws -> [DotPicture]? {
        let filter = "/usr/lib/cups/filter/rastertopdf"
        guard FileManager.default.isExecutableFile(atPath: filter) else { return nil }
        let pdf = try await output(
            of: filter, ["1", "user", "title", "1", ""], reading: raster,
            environment: ["CONTENT_TYPE": format, "FINAL_CONTENT_TYPE": "application/pdf"])
        let folder = try TemporaryFolder("peer")
        let file = try folder.write(pdf, to: "pages.pdf")
        let program = try InstalledProgram.path("pdftoppm", package: "poppler-utils")
        let result = try await ChildProcess.run(
            program, ["-r", "\(dpi)", "-gray", file, folder.appending("page")])
        guard result.end.isSuccess else { throw TestSupportError("pdftoppm: \(result.standardError)") }
        return try pictures(in: folder)
    }

    /// Ghostscript, which draws PostScript; `paper` is the size of pages that name none.
    static func ghostscript(
        _ document: [UInt8], dpi: Int, paper: String? = nil
    ) async throws -> [DotPicture] {
        let folder = try TemporaryFolder("peer")
        let file = try folder.write(document, to: "document.ps")
        let result = try await ChildProcess.run(
            try InstalledProgram.path("gs", package: "ghostscript"),
            [
                "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-r\(dpi)", "-sDEVICE=pgmraw",
                "-sOutputFile=\(folder.appending("page-%03d"))",
            ] + (paper.map { ["-sPAPERSIZE=\($0)"] } ?? []) + [file])
        guard result.end.isSuccess else {
            throw TestSupportError("gs: \(result.standardOutput) \(result.standardError)")
        }
        return try pictures(in: folder)
    }

    /// CUPS's `ippeveps`, which makes PostScript of rasters, without the size of their sheets: of A4.
    static func ippeveps(_ raster: [UInt8], _ format: String, dpi: Int) async throws -> [DotPicture] {
        let program = try InstalledProgram.path("ippeveps", package: "cups-ipp-utils")
        let document = try await output(of: program, [], reading: raster, environment: ["CONTENT_TYPE": format])
        return try await ghostscript(document, dpi: dpi, paper: "a4")
    }

    /// CUPS's `ippevepcl`, which makes PCL of rasters, at most eight inches wide.
    static func ippevepcl(_ raster: [UInt8], _ format: String) async throws -> [DotPicture] {
        let program = try InstalledProgram.path("ippevepcl", package: "cups-ipp-utils")
        return try pclPages(
            await output(of: program, [], reading: raster, environment: ["CONTENT_TYPE": format]))
    }

    // MARK: Reading what they write

    /// The standard output of a program whose last argument is a file of these bytes.
    private static func output(
        of program: String, _ arguments: [String], reading bytes: [UInt8], environment: [String: String] = [:]
    ) async throws -> [UInt8] {
        let folder = try TemporaryFolder("peer")
        let file = try folder.write(bytes, to: "document")
        let child = try ChildProcess(
            program, arguments + [file], environment: environment, outputLimit: 256 << 20)
        child.closeInput()
        guard try await child.wait().isSuccess else {
            throw TestSupportError("\(program): \(child.standardError.suffix(500))")
        }
        return child.standardOutputBytes
    }

    /// The pictures in netpbm's format for grey whose names begin with "page", in their order.
    private static func pictures(in folder: TemporaryFolder) throws -> [DotPicture] {
        try folder.names().filter { $0.hasPrefix("page-") }.sorted().map { name in
            let file = try folder.read(name)
            var words: [Int] = []
            var position = 2
            while words.count < 3, position < file.count {
                if file[position] == UInt8(ascii: "#") {
                    position = (file[position...].firstIndex(of: 0x0A) ?? file.count - 1) + 1
                    continue
                }
                let end = file[position...].firstIndex { $0 == 0x0A || $0 == 0x20 } ?? file.count
                if let word = Int(String(decoding: file[position..<end], as: UTF8.self)) { words.append(word) }
                position = end + 1
            }
            guard file.starts(with: "P5".utf8), words.count == 3 else {
                throw TestSupportError("\(name) is no picture in grey")
            }
            return try DotPicture(width: words[0], height: words[1], tones: Array(file[position...]))
        }
    }

    /// The raster graphics of PCL: as much of the language as `ippevepcl` writes.
    private static func pclPages(_ bytes: [UInt8]) throws -> [DotPicture] {
        var pages: [DotPicture] = []
        var (width, height) = (0, 0)
        var rows: [UInt8] = []
        var position = 0
        func isEnd(_ byte: UInt8) -> Bool { (0x40...0x5E).contains(byte) }
        while position < bytes.count {
            guard bytes[position] == 0x1B, position + 2 < bytes.count else {
                position += 1
                continue
            }
            if bytes[position + 1] == UInt8(ascii: "E") {
                position += 2
                continue
            }
            guard let end = bytes[(position + 3)...].firstIndex(where: isEnd) ?? bytes.indices.last else { break }
            let name = String(decoding: bytes[position + 1...position + 2] + [bytes[end]], as: UTF8.self)
            let value = Int(String(decoding: bytes[position + 3..<end], as: UTF8.self)) ?? 0
            position = end + 1
            switch name {
            case "*rS": width = value
            case "*rT": height = value
            case "*rA": rows = []
            case "*bY": rows += [UInt8](repeating: 0, count: (width + 7) / 8 * value)
            case "*bW":
                guard position + value <= bytes.count else { throw TestSupportError("PCL that is cut off") }
                rows += unpacked(bytes[position..<position + value], count: (width + 7) / 8)
                position += value
            case "*rB":
                rows += [UInt8](repeating: 0, count: max((width + 7) / 8 * height - rows.count, 0))
                pages.append(try DotPicture(width: width, height: height, rows: rows))
            default: break
            }
        }
        return pages
    }

    /// A row in PackBits, filled up with white.
    private static func unpacked(_ data: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        var row: [UInt8] = []
        var rest = data
        while let control = rest.popFirst() {
            if control < 128 {
                row += rest.prefix(Int(control) + 1)
                rest = rest.dropFirst(Int(control) + 1)
            } else if control > 128, let byte = rest.popFirst() {
                row += repeatElement(byte, count: 257 - Int(control))
            }
        }
        return Array((row + [UInt8](repeating: 0, count: count)).prefix(count))
    }
}
