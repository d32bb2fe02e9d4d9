import Glibc

/// The system's own words for an `errno` value. Called while the daemon starts, by one thread at a time.
func errorText(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
