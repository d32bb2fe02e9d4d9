import Foundation
import Glibc
import KioskAPI
import KioskDaemonSupport
import KioskTestSupport

/// Many connections at once from a process of another user, as the kernel tells it: each sends its request and is held
/// open, whatever comes back.
final class OtherUser: Sendable {
    static let id = 65534
    private let child: ChildProcess

    /// Needs root, and a daemon that everybody may connect to (`KioskdFixture.open`). Each of `count` connections sends
    /// `request`; `hangsUp` closes it at once.
    init(_ daemon: KioskdFixture, sends request: String, on count: Int, hangsUp: Bool = false) throws {
        // The first in the path may be one that only root can read.
        let python = "/usr/bin/python3"
        let setpriv = try InstalledProgram.path("setpriv", package: "util-linux")
        child = try ChildProcess(
            setpriv,
            [
                "--reuid", "\(Self.id)", "--regid", "\(Self.id)", "--clear-groups", "--pdeathsig", "KILL", "--",
                python, "-c", Self.program, daemon.socket, "\(count)", hangsUp ? "hang-up" : "hold",
            ])
        do { try child.write(request) } catch { throw TestSupportError("\(error): \(child.standardError)") }
        child.closeInput()
    }

    /// Says what each connection was answered so far, a line per second look: `{"200": 32, "429": 480}`; "0" are those
    /// without a response yet, "-1" those that were closed without one.
    private static let program = """
        import collections, json, resource, selectors, socket, sys, time
        path, count, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
        request = sys.stdin.buffer.read()
        selector, responses, unsent, problems = selectors.DefaultSelector(), {}, {}, 0
        for number in range(count):
            connection = socket.socket(socket.AF_UNIX)
            while True:
                try:
                    connection.connect(path)
                    break
                except BlockingIOError:
                    time.sleep(0.01)
            connection.setblocking(False)
            if mode == "hang-up":
                try:
                    connection.send(request)
                except OSError:
                    pass
                connection.close()
                continue
            responses[connection], unsent[connection] = b"", memoryview(request)
            selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE)
        closed = set()
        while True:
            for key, events in selector.select(0.05):
                connection = key.fileobj
                if events & selectors.EVENT_WRITE:
                    try:
                        unsent[connection] = unsent[connection][connection.send(unsent[connection]):]
                    except BlockingIOError:
                        pass
                    except OSError:
                        unsent[connection] = unsent[connection][:0]
                    if not unsent[connection]:
                        selector.modify(connection, selectors.EVENT_READ)
                if events & selectors.EVENT_READ:
                    try:
                        piece = connection.recv(65536)
                    except BlockingIOError:
                        continue
                    except OSError:
                        piece = b""
                    responses[connection] = (responses[connection] + piece)[:4096]
                    if not piece:
                        selector.unregister(connection)
                        closed.add(connection)
            tally = collections.Counter()
            for connection, response in responses.items():
                status = response[9:12].decode() if response.startswith(b"HTTP/1.1 ") else "-1" if connection in closed else "0"
                tally[status] += 1
                if status[0] in "45":
                    lower = response.lower()
                    tally["problems"] += b"application/problem+json" in lower and b"retry-after: " in lower
            print(json.dumps(tally), flush=True)
            time.sleep(0.05)
        """

    /// The number of connections answered with each status so far.
    var responses: [String: Int] {
        guard let line = child.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last
        else { return [:] }
        return (try? JSONDecoder().decode([String: Int].self, from: Data(line.utf8))) ?? [:]
    }

    func responses(reach condition: @escaping ([String: Int]) -> Bool) async throws -> [String: Int] {
        var last: [String: Int] = [:]
        do {
            try await eventually("the responses") {
                last = responses
                return condition(last)
            }
        } catch {
            throw TestSupportError("\(error); the last were \(last) \(child.standardError)")
        }
        return last
    }

    /// Closes all connections.
    func end() async throws {
        child.kill()
        try await child.wait()
    }

    /// One request with curl; its status and body.
    static func curl(_ daemon: KioskdFixture, _ path: String, _ arguments: [String] = []) async throws -> CurlResponse {
        let setpriv = try InstalledProgram.path("setpriv", package: "util-linux")
        let curl = try InstalledProgram.path("curl", package: "curl")
        let result = try await ChildProcess.run(
            setpriv,
            [
                "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups", "--",
                curl, "-sS", "--unix-socket", daemon.socket, "-w", "\n%{http_code} %header{retry-after}",
            ] + arguments + ["http://localhost\(path)"])
        let lines = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
        let words = lines.last.map { $0.split(separator: " ") } ?? []
        return CurlResponse(
            status: words.first.flatMap { Int($0) } ?? 0,
            headers: words.count > 1 ? ["retry-after": String(words[1])] : [:],
            body: Array(lines.dropLast().joined(separator: "\n").utf8), exit: result.end)
    }
}

extension KioskdFixture {
    /// Opens a daemon whose socket everybody may connect to.
    static func open(registry: String? = nil, arguments: [String] = []) async throws -> KioskdFixture {
        let folder = try TemporaryFolder("open")
        guard chmod(folder.path, 0o711) == 0 else { throw TestSupportError.errno("chmod", errno) }
        return try await KioskdFixture(
            folder: folder, registry: registry, arguments: ["--socket-mode", "0666"] + arguments)
    }

    /// The limit of its open files, changed as it runs.
    func limitDescriptors(to count: Int) async throws {
        let prlimit = try InstalledProgram.path("prlimit", package: "util-linux")
        let result = try await ChildProcess.run(prlimit, ["--pid", "\(process.processID)", "--nofile=\(count):"])
        guard result.end.isSuccess else { throw TestSupportError("prlimit: \(result.standardError)") }
    }

    /// Leaves it so many free numbers of open files.
    func limitDescriptors(leaving free: Int) async throws {
        let open = Set(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processID)/fd").compactMap { Int($0) })
        let last = (0...).lazy.filter { !open.contains($0) }.prefix(free).reduce(0) { $1 }
        try await limitDescriptors(to: last + 1)
    }
}
