import DrawingService
import Foundation
import Receipts
import TestSupport

/// `kiosk-draw` under a name of its own, so that a test finds its own among all that run.
final class HelperProgram: Sendable {
    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder("draw")
        path = "\(folder.path)/kiosk-draw"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: BuiltProducts.path("kiosk-draw"))
    }

    /// Those that run.
    var processIDs: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            (try? readFile("/proc/\(process)/cmdline")).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) == path } ?? false
        }
    }

    /// A line of `/proc/…/status`.
    func status(_ key: String, of process: Int32) throws -> String? {
        String(decoding: try readFile("/proc/\(process)/status"), as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("\(key):") }
            .map { $0.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    static func text(_ text: String) -> Drawing {
        Drawing(width: 12 * text.count, height: 24, .text(DrawnText(text, cellWidth: 12, cellHeight: 24)))
    }

    /// A picture that takes long to be drawn.
    static func slow(_ service: DrawingService) async throws -> Drawing {
        let file = try await service.png(of: DotMatrix(width: 4000, height: 4000))
        return Drawing(width: 50, height: 50, .picture(DrawnPicture(file)))
    }
}
