import Glibc

/// Shows a value beside its name, on a line of standard output.
public func show(_ name: String, _ value: String) {
    print(name + String(repeating: " ", count: max(1, 12 - name.count)) + value)
}

/// Ends the program with a message on standard error.
public func fail(_ message: String, code: Int32) -> Never {
    let line = Array("till: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(code)
}
