import Glibc

/// Writes a program that can be run at once.
///
/// Close-on-exec: a process that another test starts just now must not inherit the descriptor, since a program that
/// anyone holds open for writing cannot be run (ETXTBSY).
package func writeProgram(_ text: String, to path: String, mode: UInt32 = 0o755) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw TestSupportError.errno("open", errno) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw TestSupportError.errno("write", errno) }
}
