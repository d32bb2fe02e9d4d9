import ArgumentParser
import Glibc
import KioskAPI

/// The file that a preview is written to; its ending says in which form.
struct PreviewFile: Hashable, Sendable {
    let path: String
    let form: PreviewForm

    @Sendable init(_ path: String) throws {
        let forms: [(ending: String, form: PreviewForm)] = [(".png", .png), (".svg", .svg), (".txt", .text)]
        guard let match = forms.first(where: { path.lowercased().hasSuffix($0.ending) }) else {
            throw ValidationError(
                "\"\(path)\" has no ending of a preview; write one of \(forms.map(\.ending).joined(separator: ", "))")
        }
        self.path = path
        form = match.form
    }

    /// Replaces what is there.
    func write(_ bytes: [UInt8]) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure }
            rest = rest.dropFirst(count)
        }
    }

    private var failure: CommandFailure {
        CommandFailure(
            message: "\(path) cannot be written: \(String(cString: strerror(errno))); name another file with --output")
    }
}
