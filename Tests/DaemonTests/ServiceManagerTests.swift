import Glibc
import KioskTestSupport
import Testing

@testable import KioskServiceManager

/// The service manager's protocol without a daemon.
@Suite struct ServiceManagerTests {
    @Test func `messages are lines of assignments, and a status is one line`() {
        #expect("\(ServiceNotification.ready + .status("2 printers"))" == "READY=1\nSTATUS=2 printers")
        #expect("\(ServiceNotification.reloading(since: 12))" == "RELOADING=1\nMONOTONIC_USEC=12")
        #expect("\(ServiceNotification.status("till\nMAINPID=1\u{0}"))" == "STATUS=till MAINPID=1 ")
        #expect("\(ServiceNotification.watchdogTime(microseconds: 5))" == "WATCHDOG_USEC=5")
    }

    @Test(arguments: ["notify", "@"])
    func `a message arrives whole, and a manager that is gone or does not read holds nobody up`(kind: String) throws {
        let folder = try TemporaryFolder("notify")
        let name = kind == "@" ? "@\(folder.path)" : folder.appending(kind)
        let socket = try #require(NotifySocket { $0 == "NOTIFY_SOCKET" ? name : nil })
        #expect(socket.send(.ready) == .failed(kind == "@" ? ECONNREFUSED : ENOENT))
        let manager = try NotificationReceiver(name)
        #expect(socket.send(.ready) == .sent)
        #expect(manager.messages == ["READY=1"])
        var count = 0
        while socket.send(.watchdog) == .sent { count += 1 }
        #expect(socket.send(.watchdog) == .full)
        #expect(manager.messages.count == count + 1)
        #expect(socket.send(.stopping) == .sent)
    }

    @Test func `only a socket of Unix is spoken to`() {
        for name in [nil, "", "vsock:2:1234", "relative"] { #expect(NotifySocket { _ in name } == nil) }
    }

    @Test func `a watchdog is heeded where it is this process's`() {
        func time(_ variables: [String: String]) -> UInt64? {
            WatchdogTime(environment: { variables[$0] }, processID: 7)?.microseconds
        }
        #expect(time(["WATCHDOG_USEC": "3000000"]) == 3_000_000)
        #expect(time(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"]) == 3_000_000)
        for variables in [
            [:], ["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"],
            ["WATCHDOG_USEC": "18446744073709551615"],
        ] as [[String: String]] { #expect(time(variables) == nil, "\(variables)") }
        #expect(WatchdogTime { $0 == "WATCHDOG_USEC" ? "180000000" : nil }?.interval == .seconds(30))
        #expect(WatchdogTime { $0 == "WATCHDOG_USEC" ? "1" : nil }?.interval == .milliseconds(1))
    }

    @Test func `sockets are those of this process, each with its name`() throws {
        func sockets(_ variables: [String: String]) throws -> [String] {
            try InheritedSocket.descriptors(environment: { variables[$0] }, processID: 7).map { descriptor, name in
                name.map { "\(descriptor):\($0)" } ?? "\(descriptor)"
            }
        }
        #expect(try sockets(["LISTEN_PID": "7", "LISTEN_FDS": "2"]) == ["3", "4"])
        #expect(
            try sockets(["LISTEN_PID": "7", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "local::unknown"])
                == ["3:local", "4", "5"])
        #expect(try sockets(["LISTEN_PID": "8", "LISTEN_FDS": "2"]) == [])
        #expect(try sockets(["LISTEN_FDS": "2"]) == [])
        for count in ["-1", "257", "", "two"] {
            #expect(throws: InheritedSocketError.self) { try sockets(["LISTEN_PID": "7", "LISTEN_FDS": count]) }
        }
    }
}
