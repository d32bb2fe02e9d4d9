import Foundation
import PrintModel
import SSHLpr
import TestSupport
import Testing

/// A host that is not reached or not trusted, by each real cause, as contact and delivery tell of it.
@Suite struct HostCausesTests {
    enum Cause: Sendable {
        case unknownName, closedPort, silentPort, frozenServer, otherService, noCommonAlgorithm, unknownKey, changedKey,
            revokedKey
    }

    @Test(arguments: [
        (Cause.unknownName, TransportError.Code.hostNotFound, "nobody.invalid is not known; check the printer's URL"),
        (.closedPort, .connectionRefused, "check that the host is on"),
        (.silentPort, .timedOut, "check the host"),
        (.frozenServer, .timedOut, "check the host"),
        (.otherService, .connectionLost, "check that the URL names an SSH server"),
        (.noCommonAlgorithm, .noCommonAlgorithm, "update whichever of them is old"),
        (.unknownKey, .hostKeyUnknown, "`kioskctl printers trust`"),
        (.changedKey, .hostKeyChanged, "if it was renewed on purpose, accept the new one"),
        (.revokedKey, .hostKeyRevoked, "find out who answers there"),
    ])
    func `a host that is not reached or not trusted gets nothing, and people read why`(
        _ cause: Cause, _ code: TransportError.Code, _ advice: String
    ) async throws {
        let place = try await Place(cause)
        for error in try await place.desk.failures(at: place.target) {
            #expect(error.code == code, "\(error.message)")
            #expect(error.bytesAccepted == 0)
            #expect(error.message.hasPrefix("\(place.target.url): "), "\(error.message)")
            #expect(error.message.contains(advice), "\(error.message)")
            #expect((error.identity != nil) == [.hostKeyUnknown, .hostKeyChanged, .hostKeyRevoked].contains(code))
        }
        #expect(!place.desk.server.log.contains("userauth-request"))
        place.desk.server.thaw()
        await place.desk.transport.shutDown()
    }

    /// A host that is as a cause has it.
    private struct Place {
        let desk: LprDesk
        private(set) var target: PrinterTarget
        private var listener: Listener?

        init(_ cause: Cause) async throws {
            var options = SSHServer.Options()
            if cause == .noCommonAlgorithm { options.hostKeyTypes = ["rsa"] }
            var deadlines = SSHLprTransport.Deadlines()
            if cause == .silentPort || cause == .frozenServer { deadlines.login = .milliseconds(300) }
            desk = try await LprDesk(environment: [:], deadlines: deadlines, options: options)
            target = desk.target
            switch cause {
            case .unknownName: target.url = try PrinterURL("ssh+lpr://kiosk@nobody.invalid/receipt")
            case .closedPort: target.url = try PrinterURL("ssh+lpr://kiosk@127.0.0.1:\(try freePort())/receipt")
            case .silentPort:
                let silent = try Listener()
                target.url = try PrinterURL("ssh+lpr://kiosk@127.0.0.1:\(silent.port)/receipt")
                listener = silent
            case .frozenServer: try await desk.server.freeze()
            case .otherService:
                let cups = try await CupsServer()
                listener = Listener(cups)
                target.url = try PrinterURL("ssh+lpr://kiosk@127.0.0.1:\(cups.port)/receipt")
            case .noCommonAlgorithm: break
            case .unknownKey: try known("")
            case .changedKey: try await desk.server.changeHostKeys()
            case .revokedKey:
                let key = try #require(try desk.server.hostKeyLines().first)
                try known("@revoked [127.0.0.1]:\(desk.server.port) \(key)\n")
            }
        }

        private func known(_ lines: String) throws {
            try Data(lines.utf8).write(to: URL(fileURLWithPath: "\(desk.server.home).known_hosts"))
        }
    }

    /// What listens in place of an SSH server.
    private final class Listener: Sendable {
        let port: Int
        private let descriptor: Int32
        private let cups: CupsServer?

        /// The kernel takes connections, and nobody ever reads from them.
        init() throws {
            (descriptor, port) = try listenOnLoopback()
            cups = nil
        }

        init(_ cups: CupsServer) {
            (descriptor, port) = (-1, cups.port)
            self.cups = cups
        }

        deinit { if descriptor >= 0 { close(descriptor) } }
    }
}

extension LprDesk {
    /// What contact and delivery say of a host or a queue.
    func failures(at target: PrinterTarget) async throws -> [TransportError] {
        [
            try await transportError { _ = try await transport.contact(target) },
            try await transportError {
                _ = try await transport.deliver(.receipt("bcdfghjk-1-1", [1, 2, 3]), to: target) { _ in }
            },
        ]
    }
}
