package import KioskPrintModel
package import NIOCore
import Synchronization

/// Looks for printers on the network when it is asked to, for a limited time: DNS-SD through Avahi's daemon, and one
/// broadcast in each of three makers' protocols. Connects to nothing, saves nothing, and tries no addresses out.
package struct NetworkDiscovery: Sendable {
    private let group: any EventLoopGroup
    private let ports: Ports
    private let destinations: @Sendable () -> [String]
    private let browsesDNSSD: Bool

    /// The ports that queries go to.
    package struct Ports: Hashable, Sendable {
        package var enpc = ENPC.port
        package var starSDP = StarSDP.port
        package var zebra = ZebraDiscovery.port

        package init() {}
    }

    /// What a search tells.
    package enum Event: Sendable {
        /// A printer that is new, or of which more is known.
        case printer(NetworkPrinter)
        /// A printer that was told of and is the same as another, whose number stays.
        case joined(number: Int)
        /// Why a part of the network was not looked at, and what to do.
        case note(String)
    }

    /// Sends to the interfaces' broadcast addresses, where `destinations` names no others.
    package init(
        group: any EventLoopGroup, ports: Ports = Ports(), destinations: (@Sendable () -> [String])? = nil,
        browsesDNSSD: Bool = true
    ) {
        (self.group, self.ports, self.browsesDNSSD) = (group, ports, browsesDNSSD)
        self.destinations = destinations ?? DatagramSearch.broadcastAddresses
    }

    private static let tickInterval = Duration.milliseconds(100)

    /// Looks for `time`, and reports each printer as it is found. With `scheme`, only ways with such URLs count.
    package func run(
        for time: Duration, scheme: PrinterURL.Scheme? = nil, report: (Event) async -> Void
    ) async {
        let queue = InputQueue()
        let start = ContinuousClock.now
        let browser = AvahiBrowser()
        defer { browser.stop() }
        if browsesDNSSD {
            browser.start { event in
                switch event {
                case .service(let service): if let finding = service.finding { queue.add(.finding(finding)) }
                case .note(let note): queue.add(.note(note))
                }
            }
        }
        let searches = searches()
        await withTaskGroup(of: Void.self) { tasks in
            for search in searches {
                tasks.addTask {
                    do {
                        try await search.run(on: group) { event in
                            switch event {
                            case .finding(let finding): queue.add(.finding(finding))
                            case .flood(let note): queue.add(.note(note))
                            }
                        }
                    } catch {
                        queue.add(.note("no datagram can be sent (\(error)); printers that answer one are not found"))
                    }
                }
            }
            tasks.addTask {
                while .now - start < time, (try? await Task.sleep(for: Self.tickInterval)) != nil { queue.add(.tick) }
                queue.finish()
            }
            var printers = NetworkPrinters()
            var notes: Set<String> = []
            for await input in queue.inputs {
                var note: String?
                switch input {
                case .finding(let finding) where scheme == nil || finding.url.scheme == scheme:
                    note = printers.add(finding, at: .now - start)?.note
                case .finding, .tick: break
                case .note(let text): note = text
                }
                if let note, notes.insert(note).inserted { await report(.note(note)) }
                for number in printers.takeJoined() { await report(.joined(number: number)) }
                for printer in printers.settled(at: .now - start) { await report(.printer(printer)) }
            }
            tasks.cancelAll()
            guard !Task.isCancelled else { return }
            for printer in printers.rest() { await report(.printer(printer)) }
            if queue.hasOverflowed {
                await report(
                    .note(
                        "more came from the network at once than could be read; look again for printers that are missing"
                    ))
            }
            if browsesDNSSD, let silence = browser.silence { await report(.note(silence)) }
        }
    }

    private func searches() -> [DatagramSearch] {
        let hosts = destinations()
        func addresses(_ port: Int) -> [SocketAddress] {
            hosts.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
        }
        return [
            DatagramSearch(query: ENPC.query, destinations: addresses(ports.enpc), finding: ENPC.finding),
            DatagramSearch(query: StarSDP.query, destinations: addresses(ports.starSDP), finding: StarSDP.finding),
            DatagramSearch(
                query: ZebraDiscovery.query, destinations: addresses(ports.zebra), finding: ZebraDiscovery.finding),
        ]
    }
}

/// What the searches have told and nobody has merged yet.
private final class InputQueue: Sendable {
    enum Input: Sendable {
        case finding(NetworkFinding)
        case note(String)
        case tick
    }

    let inputs: AsyncStream<Input>
    private let output: AsyncStream<Input>.Continuation
    private let overflowed = Atomic(false)

    private static let maximumLength = 4096

    init() {
        (inputs, output) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumLength))
    }

    /// Whether some were dropped, since there was no room.
    var hasOverflowed: Bool { overflowed.load(ordering: .relaxed) }

    func add(_ input: Input) {
        if case .dropped(let dropped) = output.yield(input), !dropped.isTick {
            overflowed.store(true, ordering: .relaxed)
        }
    }

    func finish() { output.finish() }
}

extension InputQueue.Input {
    fileprivate var isTick: Bool {
        if case .tick = self { true } else { false }
    }
}
