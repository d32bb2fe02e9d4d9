import Glibc

/// An error that keeps the daemon from starting. The message says what happened, to which file, and what to do next.
struct StartError: Error, CustomStringConvertible {
    var code: Code
    var message: String
    var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The exit statuses, in the numbers of sysexits.h.
    enum Code: Int32 {
        /// EX_USAGE: the command line or the environment does not say enough, or says what cannot be.
        case usage = 64
        /// EX_SOFTWARE: an internal error.
        case failed = 70
        /// EX_CANTCREAT: a file or folder could not be made.
        case cannotCreate = 73
        /// EX_TEMPFAIL: another daemon has the socket or the state directory.
        case inUse = 75
        /// EX_NOPERM
        case noPermission = 77
        /// EX_CONFIG: `--check` found the registry not valid.
        case registryInvalid = 78
    }

    /// From `errno` of a call on a file.
    static func system(_ action: String, _ path: String, _ number: Int32, next: String) -> StartError {
        let code: Code = number == EACCES || number == EPERM || number == EROFS ? .noPermission : .cannotCreate
        return StartError(code, "\(action) \(path): \(errorText(number)); \(next)")
    }
}

/// The system's own words for an `errno` value. Called while the daemon starts, by one thread at a time.
func errorText(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
