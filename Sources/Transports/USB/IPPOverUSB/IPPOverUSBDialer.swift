import DevicePrinting
import Glibc
package import Logging
import NIOCore
import NIOPosix
package import PrintModel

/// Opens connections to the IPP of USB printers: each is one interface of IPP over USB, which is ours until the printer
/// is released.
///
/// A connection that was closed between two exchanges leaves its interface open for the next. After one that was closed
/// in the middle, the printer is told to drop the rest, and the interface is let go of and opened anew: the alternate
/// setting is chosen again by that, with which a device begins anew as well.
package actor IPPOverUSBDialer: PrinterDialer {
    package nonisolated let schemes: Set<PrinterURL.Scheme> = [.usb]
    private let bus: USBBus
    private let settings: @Sendable (PrinterIdentity) -> USBSettings
    private let logger: Logger
    private let group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    private var idle: [PrinterURL: [USBConnection]] = [:]
    private var lines: [ObjectIdentifier: Line] = [:]
    /// How often each printer was released: whoever dialed before is not to keep an interface afterwards.
    private var releases: [PrinterURL: Int] = [:]
    /// Interfaces on which an exchange was broken off, so that its rest may still come.
    private var unsettled: Set<Place> = []
    /// Connections that have ended so far, and who waits for the next to end.
    private var ends = 0
    private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    private var waiterCount = 0

    private struct Place: Hashable {
        var printer: PrinterURL
        var interface: Int
    }

    /// A connection that a client has.
    private struct Line {
        var printer: PrinterURL
        var run: Task<Void, Never>
    }

    /// `settings` are those of a printer's profile.
    package init(
        _ bus: USBBus, settings: @escaping @Sendable (PrinterIdentity) -> USBSettings = { _ in USBSettings() },
        logger: Logger = Logger(label: "ipp-usb")
    ) {
        self.bus = bus
        self.settings = settings
        self.logger = logger
    }

    package func dial(_ printer: PrinterTarget) async throws -> DialedConnection {
        let releasesBefore = releases[printer.url]
        let interface: USBConnection
        do throws(USBOpenError) {
            interface = try await openInterface(of: printer)
        } catch {
            throw TransportError(error, printer: printer.url)
        }
        guard releases[printer.url] == releasesBefore else {
            await interface.close()
            throw TransportError(USBOpenError.dialCancelled, printer: printer.url)
        }
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0 else {
            let code = errno
            keep(interface, printer.url)
            throw TransportError(
                .connectionLost, operation: "socketpair",
                message: "\(printer.url): this program has no socket left for it; see its limits",
                underlying: .errno(code))
        }
        let limit = interface.printer.choices(for: .ippOverUSB, interface: printer.url.usbInterface).count
        let dialed = DialedConnection(socket: sockets[0], limit: max(1, limit))
        let bridge = InterfaceBridge(pipe: interface, exchange: dialed.exchange, logger: logger)
        let run = Task { [far = sockets[1], group] in
            let end = await bridge.run(far, on: group)
            await ended(interface, of: printer.url, end)
        }
        lines[ObjectIdentifier(interface)] = Line(printer: printer.url, run: run)
        return dialed
    }

    /// Gives the printer's interfaces back; connections that clients still have break.
    package func release(_ printer: PrinterURL) async {
        releases[printer, default: 0] += 1
        let open = lines.values.filter { $0.printer == printer }
        for line in open { line.run.cancel() }
        for line in open { await line.run.value }
        for interface in idle.removeValue(forKey: printer) ?? [] { await interface.close() }
    }

    package func releaseAll() async {
        for printer in Set(idle.keys).union(lines.values.map(\.printer)) { await release(printer) }
    }

    /// An interface that serves nobody. A client knows earlier than we do that it closed a connection: so where all are
    /// taken, and some of them by clients, one is about to be free.
    private func openInterface(of target: PrinterTarget) async throws(USBOpenError) -> USBConnection {
        let printer = target.url
        while true {
            while let interface = idle[printer]?.popLast() {
                if !interface.isBroken { return interface }
                await interface.close()
            }
            let endsBefore = ends
            do throws(USBOpenError) {
                let interface = try await bus.open(printer, for: .ippOverUSB) { [settings] found in
                    // HTTP goes both ways, and says itself how long it is.
                    var usb = settings(found.identity(profile: target.profile))
                    (usb.unidirectional, usb.zeroLengthPacket) = (false, false)
                    return usb
                }
                let place = Place(printer: printer, interface: interface.interface)
                guard unsettled.remove(place) != nil else { return interface }
                await Self.settle(interface)
                guard !Task.isCancelled else {
                    // The rest may still come.
                    unsettled.insert(place)
                    await interface.close()
                    throw .dialCancelled
                }
                return interface
            } catch {
                guard error.kind == .alreadyOpen,
                    ends != endsBefore || lines.values.contains(where: { $0.printer == printer })
                else { throw error }
                if ends == endsBefore { await anEnd() }
                guard !Task.isCancelled else { throw .dialCancelled }
            }
        }
    }

    /// Waits until a connection has ended, or the task is cancelled.
    private func anEnd() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        waiterCount += 1
        let number = waiterCount
        waiters[number] = continuation
        for await _ in stream {}
        waiters[number] = nil
    }

    private func noteEnd() {
        ends += 1
        for waiter in waiters.values { waiter.finish() }
    }

    /// Waits until the device says nothing more.
    private static func settle(_ interface: USBConnection) async {
        let answers = interface.answers()
        for _ in 0..<mostPauses {
            let isQuiet = await withTaskGroup { group in
                group.addTask {
                    for await _ in answers { return false }
                    return true
                }
                group.addTask { (try? await Task.sleep(for: .milliseconds(50))) != nil }
                defer { group.cancelAll() }
                return await group.next() ?? true
            }
            if isQuiet { return }
        }
    }

    private static let mostPauses = 1000

    private func keep(_ interface: USBConnection, _ printer: PrinterURL) {
        idle[printer, default: []].append(interface)
    }

    private func ended(_ interface: USBConnection, of printer: PrinterURL, _ end: InterfaceBridge.End) async {
        defer {
            lines[ObjectIdentifier(interface)] = nil
            noteEnd()
        }
        switch end {
        case .between where !Task.isCancelled: return keep(interface, printer)
        case .between: break
        case .midway:
            unsettled.insert(Place(printer: printer, interface: interface.interface))
            logger.debug("an exchange was broken off; the interface is reset", metadata: ["printer": "\(printer)"])
            await Self.reset(interface)
        case .broken(let error):
            logger.debug("the interface failed: \(error.reason)", metadata: ["printer": "\(printer)"])
            guard error.kind != .gone else { break }
            unsettled.insert(Place(printer: printer, interface: interface.interface))
            await Self.reset(interface)
        }
        await interface.close()
    }
}

extension IPPOverUSBDialer {
    /// Also where the line was released, and its task cancelled.
    private static func reset(_ interface: USBConnection) async {
        await Task { try? await interface.restore(resetting: true) }.value
    }
}

extension USBOpenError {
    fileprivate static let dialCancelled = USBOpenError(.cancelled, operation: "dial", reason: "the dial was cancelled")
}
