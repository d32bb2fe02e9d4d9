import Glibc
import Synchronization

/// Where all certificates of this process lie; removed with all of them when it ends.
enum CertificateShelf {
    private static let state = Mutex<(shelf: TemporaryFolder?, count: Int)>((nil, 0))

    static func newFolder() throws -> TemporaryFolder {
        try state.withLock { state in
            if state.shelf == nil {
                state.shelf = try TemporaryFolder("certificates")
                atexit { CertificateShelf.clear() }
            }
            guard let shelf = state.shelf else { throw TestSupportError("there is no folder for certificates") }
            state.count += 1
            return try TemporaryFolder(at: shelf.appending("\(state.count)"), isKept: true)
        }
    }

    private static func clear() {
        state.withLock { $0.shelf = nil }
    }
}
