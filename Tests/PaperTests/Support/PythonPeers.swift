import Foundation

/// Python packages to compare with, in a place of their own: `Scripts/bootstrap test` puts them there.
enum PythonPeers {
    /// The interpreter that has them; nil where they could not be fetched.
    static var python: String? {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(".build/peers/python/bin/python").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
}
