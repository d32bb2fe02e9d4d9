import Foundation
import TestSupport

/// What a host may have as its `sh`.
enum HostShell: String, CaseIterable, Sendable {
    case dash, bash, busybox

    /// Puts it into a folder under the name `sh`, by which all of them know what they shall be.
    func link(into folder: TemporaryFolder) throws {
        let path = try InstalledProgram.path(rawValue, package: rawValue)
        try FileManager.default.createSymbolicLink(atPath: folder.appending("sh"), withDestinationPath: path)
    }
}
