import Foundation
import KioskRenderingMessages
import KioskTestSupport

/// `kiosk-render` under a path of its own, by which a test finds its process among all others.
final class HelperProgram: Sendable {
    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder("render")
        path = "\(folder.path)/kiosk-render"
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: BuiltProducts.path("kiosk-render"))
    }

    /// A program whose n-th start runs the n-th of these scripts of sh(1); every later start is `kiosk-render` itself.
    init(acting acts: [String]) throws {
        folder = try TemporaryFolder("render")
        path = "\(folder.path)/kiosk-render"
        let cases = acts.enumerated().map { "\($0 + 1)) \($1) ;;\n" }.joined()
        try writeProgram(
            """
            #!/bin/sh
            read starts < "$0.starts" || starts=0
            starts=$((starts + 1))
            echo $starts > "$0.starts"
            case $starts in
            \(cases)esac
            exec '\(try BuiltProducts.path("kiosk-render"))' "$@"
            """, to: path)
        try folder.write("0\n", to: "kiosk-render.starts")
    }

    /// Sends these responses at once, whatever is asked for.
    static func sending(_ responses: RenderingResponse...) -> String {
        let bytes = responses.flatMap(\.frame).map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return "printf '\(bytes.joined())';"
    }

    /// The ids of the running processes, and of the shells that act as one.
    var processIDs: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { process in
            (try? readFile("/proc/\(process)/cmdline")).map {
                $0.split(separator: 0).prefix(2).contains { $0.elementsEqual(path.utf8) }
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
}
