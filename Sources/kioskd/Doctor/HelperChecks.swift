import Glibc
import KioskDrawingService
import KioskPrintModel
import KioskRenderingService

/// Whether the programs that draw are there, and whether their sandboxes hold on this kernel.
struct HelperChecks {
    func findings() -> [DoctorFinding] {
        [DrawingService.siblingProgram(), RenderingService.siblingProgram()].flatMap(findings)
    }

    private func findings(_ program: String) -> [DoctorFinding] {
        guard let file = FileFacts(program) else {
            return [
                .init(
                    group: .helpers, code: "helper-missing", status: .critical, subject: program,
                    message: "\(program) is missing: install it beside kioskd, from the same build (Scripts/build)",
                    command: nil)
            ]
        }
        guard access(program, X_OK) == 0 else {
            return [
                .init(
                    group: .helpers, code: "helper-not-executable", status: .critical, subject: program,
                    message: "\(program) cannot be run (mode \(file.octal))",
                    command: ShellCommand.line("chmod", "755", program))
            ]
        }
        guard let (status, output) = Self.run(program, "--self-test") else {
            return [
                .init(
                    group: .helpers, code: "helper-does-not-start", status: .critical, subject: program,
                    message: "\(program) does not start; see which library it lacks",
                    command: ShellCommand.line("ldd", program))
            ]
        }
        guard status != 0 else { return [] }
        let last = output.split(separator: "\n").last.map(String.init) ?? "it ended with \(status)"
        return [
            .init(
                group: .helpers, code: "helper-sandbox", status: .critical, subject: program,
                message: "\(program) --self-test: \(last)", command: ShellCommand.line(program, "--self-test"))
        ]
    }

    /// The exit status of a program and what it wrote; nil where it does not start or is ended by a signal.
    private static func run(_ program: String, _ argument: String) -> (status: Int32, output: String)? {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { return nil }
        defer { close(pipes[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 2)
        posix_spawn_file_actions_addclose(&actions, pipes[0])
        posix_spawn_file_actions_addclose(&actions, pipes[1])
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(argument), nil]
        defer { words.forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawn(&child, program, &actions, nil, &words, nil)
        close(pipes[1])
        guard failure == 0 else { return nil }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(pipes[0], &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            if output.count < 1 << 16 { output += buffer[..<count] }
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        // A signal ended it (wait(2), WIFEXITED).
        guard status & 0x7F == 0 else { return nil }
        return ((status >> 8) & 0xFF, String(decoding: output, as: UTF8.self))
    }
}
