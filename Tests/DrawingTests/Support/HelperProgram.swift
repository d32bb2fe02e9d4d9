import Foundation
import KioskDrawingMessages
import KioskDrawingService
import KioskReceipts
import KioskTestSupport

/// `kiosk-draw` under a path of its own, by which a test finds its process among all others.
final class HelperProgram: Sendable {
    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder("draw")
        path = "\(folder.path)/kiosk-draw"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: BuiltProducts.path("kiosk-draw"))
    }

    /// A program whose n-th start runs the n-th of these scripts of sh(1); every later start is `kiosk-draw` itself.
    /// `$GREETING` is the message that says it is ready, `$0` its own path.
    init(acting acts: [String]) throws {
        folder = try TemporaryFolder("draw")
        path = "\(folder.path)/kiosk-draw"
        let cases = acts.enumerated().map { "\($0 + 1)) \($1) ;;\n" }.joined()
        try writeProgram(
            """
            #!/bin/sh
            GREETING='\(Self.octal(MessageFrame.bytes(DrawingResponse.ready)))'
            read starts < "$0.starts" || starts=0
            starts=$((starts + 1))
            echo $starts > "$0.starts"
            case $starts in
            \(cases)esac
            exec '\(try BuiltProducts.path("kiosk-draw"))' "$@"
            """, to: path)
        try folder.write("0\n", to: "kiosk-draw.starts")
    }

    /// The number of starts.
    var starts: Int {
        get throws {
            Int(String(decoding: try folder.read("kiosk-draw.starts"), as: UTF8.self).filter(\.isNumber)) ?? 0
        }
    }

    /// Reads a part of the first request, so that the program is certainly working on it.
    static let beginsWork = "printf \"$GREETING\"; head -c 8 > /dev/null;"

    /// The bytes as printf(1) reads them.
    static func octal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }

    /// The ids of the running processes.
    var processIDs: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            (try? readFile("/proc/\(process)/cmdline")).map {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) == path
            } ?? false
        }
    }

    /// A field of `/proc/…/status`.
    func status(_ key: String, of process: Int32) throws -> String? {
        String(decoding: try readFile("/proc/\(process)/status"), as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("\(key):")
        }
        .map { $0.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    static func text(_ text: String) -> Drawing {
        Drawing(width: 12 * text.count, height: 24, .text(DrawnText(text, cellWidth: 12, cellHeight: 24)))
    }

    /// A picture that takes a long time to draw.
    static func slow(_ service: DrawingService) async throws -> Drawing {
        let file = try await service.png(of: DotMatrix(width: 4000, height: 4000))
        return Drawing(width: 50, height: 50, .picture(DrawnPicture(file)))
    }
}
