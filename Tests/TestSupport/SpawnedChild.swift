import Foundation
import Glibc
import Synchronization

/// A child started with posix_spawn: three pipes, a process group of its own, default signals and no inherited
/// descriptors.
struct SpawnedChild: Sendable {
    let processID: Int32
    /// The ends that the parent holds; whoever takes this value closes them.
    let input: Int32
    let output: Int32
    let errors: Int32

    init(_ program: String, arguments: [String], environment: [String]) throws {
        let pipes = try Pipes()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes.ends[0], 0)
        posix_spawn_file_actions_adddup2(&actions, pipes.ends[3], 1)
        posix_spawn_file_actions_adddup2(&actions, pipes.ends[5], 2)
        guard let closeFrom = Self.closeFrom, closeFrom(&actions, 3) == 0 else {
            throw TestSupportError("posix_spawn_file_actions_addclosefrom_np is missing: glibc 2.34 or later is needed")
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var argv: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, program, &actions, &attributes, &argv, &envp)
        for index in [0, 3, 5] { close(pipes.ends[index]) }
        guard code == 0 else {
            for index in [1, 2, 4] { close(pipes.ends[index]) }
            throw TestSupportError.errno("starting \(program)", code)
        }
        (processID, input, output, errors) = (child, pipes.ends[1], pipes.ends[2], pipes.ends[4])
    }

    /// Swift does not import GNU extensions. Without this one, a child would hold the listening sockets of the test
    /// process open (NIO's are not close-on-exec), and a port that was closed would stay in use.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
    }

    /// Reading and writing ends of standard input, output and error.
    private struct Pipes {
        var ends: [Int32] = []

        init() throws {
            for _ in 0..<3 {
                var pair: [Int32] = [-1, -1]
                guard pipe(&pair) == 0 else {
                    let code = errno
                    ends.forEach { close($0) }
                    throw TestSupportError.errno("pipe", code)
                }
                // Every child is started on one thread, so no other child can be born before this is set.
                pair.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
                ends += pair
            }
        }
    }
}

/// The one thread that starts children and never ends: Linux sends PR_SET_PDEATHSIG when the *thread* that started a
/// child ends.
final class SpawnThread: Sendable {
    static let shared = SpawnThread()

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let signal = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                signal.wait()
                waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
            }
        }
    }

    /// Runs `body` there and waits for it.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Box<Result<Value, any Error>>()
        waiting.withLock {
            $0.append {
                result.value.withLock { $0 = Result { try body() } }
                done.signal()
            }
        }
        signal.signal()
        done.wait()
        guard let outcome = result.value.withLock({ $0 }) else {
            throw TestSupportError("the spawn thread gave no result")
        }
        return try outcome.get()
    }

    private final class Box<Content: Sendable>: Sendable {
        let value = Mutex<Content?>(nil)
    }
}
