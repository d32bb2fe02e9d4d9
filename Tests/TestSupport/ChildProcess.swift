import Foundation
import Synchronization

/// A program started by a test: output kept in bounded buffers, always reaped, gone with the last reference and with
/// the test process.
package final class ChildProcess: Sendable {
    package let processID: Int32
    package let program: String
    private let input: Mutex<Int32?>
    private let output: ChildOutput
    private let errors: ChildOutput
    private let exit = ChildExit()

    /// How a program ended.
    package enum End: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)

        package var isSuccess: Bool { self == .exited(0) }
    }

    /// Starts `program` (an absolute path). `environment` is laid over the test's own; of each output stream the
    /// first `outputLimit` bytes are kept, the rest is read and dropped.
    package init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], folder: String? = nil,
        outputLimit: Int = 4 << 20
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestSupportError("\(program) cannot be started: it is missing or not executable")
        }
        // setpriv is in util-linux, which is essential in Debian; it replaces itself by the program, so the id is the
        // program's.
        let guardian = try InstalledProgram.path("setpriv", package: "util-linux")
        let inFolder = folder.map { ["env", "--chdir=\($0)"] } ?? []
        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let started = try SpawnThread.shared.run {
            try SpawnedChild(
                guardian, arguments: ["--pdeathsig", "KILL", "--"] + inFolder + [program] + arguments,
                environment: merged.map { "\($0)=\($1)" })
        }
        self.program = program
        processID = started.processID
        input = Mutex(started.input)
        output = ChildOutput(descriptor: started.output, limit: outputLimit)
        errors = ChildOutput(descriptor: started.errors, limit: outputLimit)
        exit.watch(processID)
    }

    deinit {
        closeInput()
        exit.signal(SIGKILL, to: processID)
    }

    package var standardOutput: String { output.text }
    package var standardError: String { errors.text }
    package var standardOutputBytes: [UInt8] { output.bytes }
    package var isRunning: Bool { exit.end == nil }

    /// Writes to its standard input.
    package func write(_ text: String) throws {
        try input.withLock { descriptor in
            guard let descriptor else { throw TestSupportError("\(program): its input is closed") }
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { throw TestSupportError.errno("write to \(program)", errno) }
                rest = rest.dropFirst(count)
            }
        }
    }

    package func closeInput() {
        input.withLock { descriptor in
            if let descriptor { close(descriptor) }
            descriptor = nil
        }
    }

    /// Sends a signal to it and whatever it started; nothing happens once it has ended.
    package func signal(_ number: Int32) { exit.signal(number, to: processID) }

    /// Ends it at once, as a crash would.
    package func kill() { signal(SIGKILL) }

    /// Waits for its end; kills it and throws when the deadline passes first.
    @discardableResult
    package func wait(deadline: Duration = .seconds(120)) async throws -> End {
        let end: End
        do {
            end = try await eventuallyValue("the end of \(program)", deadline: deadline) { exit.end }
        } catch {
            kill()
            throw TestSupportError("\(error)\nstandard output: \(standardOutput)\nstandard error: \(standardError)")
        }
        // A grandchild may hold the pipes open: what it still writes is not waited for.
        try? await eventually("the end of output", deadline: .seconds(1)) { output.isComplete && errors.isComplete }
        // On a busy machine what the program itself wrote may still be in them.
        try await eventually("the output of \(program)", deadline: deadline) { output.hasReadAll && errors.hasReadAll }
        return end
    }

    /// Asks it to end, and kills it when it does not within the deadline.
    @discardableResult
    package func terminate(deadline: Duration = .seconds(120)) async throws -> End {
        signal(SIGTERM)
        return try await wait(deadline: deadline)
    }

    /// Waits until its standard output contains `text`.
    package func waitForOutput(_ text: String, deadline: Duration = .seconds(120)) async throws {
        try await eventually("\"\(text)\" from \(program)", deadline: deadline) {
            if standardOutput.contains(text) { return true }
            guard isRunning else {
                throw TestSupportError(
                    "\(program) ended before it said \"\(text)\"; it said: \(standardOutput)\(standardError)")
            }
            return false
        }
    }

    /// Waits until its standard output has a whole line with `text`, and returns what stands behind the text.
    package func lineBehind(_ text: String, deadline: Duration = .seconds(120)) async throws -> String {
        try await waitForOutput(text, deadline: deadline)
        return try await eventuallyValue("the end of the line with \"\(text)\" from \(program)", deadline: deadline) {
            let rest = standardOutput.components(separatedBy: text).dropFirst().joined(separator: text)
            return rest.firstIndex(of: "\n").map { String(rest[..<$0]) }
        }
    }
}

extension ChildProcess {
    /// What a finished program left.
    package struct Result: Sendable {
        package var end: End
        package var standardOutput: String
        package var standardError: String
    }

    /// Runs a program to its end.
    package static func run(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], folder: String? = nil,
        input: String = "", deadline: Duration = .seconds(120)
    ) async throws -> Result {
        let child = try ChildProcess(program, arguments, environment: environment, folder: folder)
        if !input.isEmpty { try child.write(input) }
        child.closeInput()
        let end = try await child.wait(deadline: deadline)
        return Result(end: end, standardOutput: child.standardOutput, standardError: child.standardError)
    }
}

/// Reaps one child on a thread of its own, and sends signals only while its id is certainly still its own.
private final class ChildExit: Sendable {
    private let state = Mutex<ChildProcess.End?>(nil)

    var end: ChildProcess.End? { state.withLock { $0 } }

    func watch(_ processID: Int32) {
        Thread.detachNewThread { [self] in
            var info = siginfo_t()
            // WNOWAIT leaves the zombie, so that its id cannot be given away before the lock is held.
            while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
            state.withLock { end in
                var status: Int32 = 0
                while waitpid(processID, &status, 0) == -1, errno == EINTR {}
                let signal = status & 0x7F
                end = signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
            }
        }
    }

    func signal(_ number: Int32, to processID: Int32) {
        state.withLock { end in
            // The child leads a process group of its own: what it started goes with it.
            if end == nil { _ = kill(-processID, number) }
        }
    }
}

/// The bytes that a pipe has delivered so far, up to a limit; read on a thread of its own so that the writer never
/// blocks.
private final class ChildOutput: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isComplete = false
    }
    private let state = Mutex(State())
    private let descriptor: Int32
    private let limit: Int
    /// What a pipe holds at most, where nobody has made it larger.
    private static let pipeCapacity = 64 << 10

    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
        Thread.detachNewThread { [weak self] in
            while Self.waitForBytes(in: descriptor), let self, takeBytes() {}
            guard let self else {
                close(descriptor)
                return
            }
            state.withLock { state in
                state.isComplete = true
                close(descriptor)
            }
        }
    }

    /// Returns once there are bytes, or the end.
    private static func waitForBytes(in descriptor: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            if poll(&wanted, 1, -1) >= 0 { return true }
            guard errno == EINTR else { return false }
        }
    }

    /// Takes what is there; false at the end.
    private func takeBytes() -> Bool { state.withLock { takeBytes(&$0) } }

    private func takeBytes(_ state: inout State) -> Bool {
        // Another thread may have taken them meanwhile.
        guard hasBytes else { return true }
        let limit = max(0, limit - state.bytes.count)
        var count = 0
        state.bytes += [UInt8](unsafeUninitializedCapacity: Self.pipeCapacity) { buffer, kept in
            count = read(descriptor, buffer.baseAddress, buffer.count)
            kept = min(max(0, count), limit)
        }
        return count > 0 || count < 0 && errno == EINTR
    }

    /// Whether there is something to read, or the end.
    private var hasBytes: Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) != 0
    }

    /// Whether all that was written so far is taken.
    var hasReadAll: Bool { state.withLock { $0.isComplete || !hasBytes } }

    /// All that was written so far: what the thread has not taken yet, because others use the processor, is taken here.
    var bytes: [UInt8] {
        state.withLock { state in
            if !state.isComplete { _ = takeBytes(&state) }
            return state.bytes
        }
    }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var isComplete: Bool { state.withLock { $0.isComplete } }
}

/// The child that is running now, where a peer can be stopped and started again.
package final class RunningChild: Sendable {
    private let state = Mutex<ChildProcess?>(nil)

    var child: ChildProcess? {
        get { state.withLock { $0 } }
        set {
            // The old one is let go outside the lock: its deinit takes a lock of its own.
            let old = state.withLock { child in
                let old = child
                child = newValue
                return old
            }
            _ = old
        }
    }

    /// Ends it as a crash does; nothing where none runs.
    func kill() async throws {
        guard let child else { return }
        child.kill()
        try await child.wait()
        self.child = nil
    }
}
