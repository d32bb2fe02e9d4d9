import CKioskNATS
import Glibc
import KioskAsyncPrimitives
import Synchronization

/// The link to a NATS server or cluster over libnats, which keeps the connection on threads of its own: reconnects with
/// pauses, and asks a silent server whether it is there. Released, it closes.
///
/// libnats holds its lock for as long as it tries to connect, up to ten seconds for each server. So what takes that
/// lock while there is no connection runs on a thread of its own. It also holds it while it writes, and what is sent
/// waits then; all but documents fits into what the system keeps for a connection.
///
/// The pointers are set once, and libnats guards what is behind them by its own locks; all other state is in
/// `Exchanges`.
package final class NATSLink: FleetLink, @unchecked Sendable {
    /// Where the hub is, and how to come in.
    package struct Options: Hashable, Sendable {
        /// `nats://host:4222`, all servers of the hub that are known; the hub tells of others.
        package var servers: [String]
        /// What the hub's operator sees.
        package var clientName: String
        /// The first tokens of the subjects that responses come to, such as `_IN.0147`: all that a kiosk may subscribe
        /// to.
        package var inboxPrefix = "_INBOX"
        package var authentication = Authentication.none
        package var tls = TLS.none
        /// How long an attempt to connect to a server may take, with its login.
        package var connectTimeout: Duration = .seconds(10)
        /// How long sending one message may take before the connection counts as broken.
        package var writeTimeout: Duration = .seconds(60)

        package enum Authentication: Hashable, Sendable {
            case none
            case user(String, password: String)
            /// The path of a file with a user JWT and the seed of its NKey, as `nsc` writes them.
            case credentials(file: String)
        }

        package enum TLS: Hashable, Sendable {
            case none
            /// The hub's certificate is checked by the system's authorities.
            case system
            /// By those in this file of PEM blocks as well; libnats trusts the system's in any case.
            case authorities(file: String)
        }

        package init(servers: [String], clientName: String) {
            (self.servers, self.clientName) = (servers, clientName)
        }
    }

    private let connection: Pointer
    /// Nil where the hub has refused the link before it could subscribe.
    private let inbox: Pointer?
    private let exchanges: Exchanges

    /// A silent server is asked each time after this.
    private static let pingInterval: Int64 = 15_000
    /// The longest pause before the next try, in ms.
    private static let maximumPause: Int64 = 60_000
    /// What is kept while there is no connection, in bytes: nothing, who sends is told. (Where such a buffer cannot be
    /// written, libnats does not end what it has begun of the connection.)
    private static let bufferLength: Int32 = 0

    /// Tries each server once, and goes on trying in the background. Throws `library-failed` for options that are none,
    /// and `CancellationError` without waiting for a server.
    ///
    /// `onRefusal` is called once for each subject that the hub refuses this login, from any thread.
    package static func connect(
        _ options: Options, onRefusal: @escaping @Sendable (HubRefusal) -> Void = { _ in }
    ) async throws -> NATSLink {
        try await connectOnThread { () throws(FleetError) in
            try NATSLink(options, onRefusal: onRefusal)
        }
    }

    /// Connects like `connect`, and throws where no server has let this client in: `not-permitted` where the last of
    /// them has refused it by its certificate or its login, `not-connected` for what may pass.
    package static func connectOnce(_ options: Options) async throws -> NATSLink {
        try await connectOnThread { () throws(FleetError) in
            try NATSLink(options, retriesFirstConnection: false, onRefusal: { _ in })
        }
    }

    /// An abandoned thread closes its link if it still gets one.
    private static func connectOnThread(
        _ connect: @escaping @Sendable () throws(FleetError) -> NATSLink
    ) async throws -> NATSLink {
        let attempt = Attempt()
        let thread = WorkerThread("fleet connect") {
            let result = Result(catching: connect)
            attempt.result.withLock { $0 = result }
            attempt.isOver.raise()
        }
        guard let thread else { throw FleetError(.libraryFailed, "the system has no thread left for the hub") }
        thread.detach()
        await attempt.isOver.wait()
        try Task.checkCancellation()
        guard let result = attempt.result.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    private final class Attempt: Sendable {
        let result = Mutex<Result<NATSLink, FleetError>?>(nil)
        let isOver = AsyncSignal()
    }

    /// Connects like `connect`, and blocks while the servers answer or refuse.
    convenience init(
        _ options: Options, onRefusal: @escaping @Sendable (HubRefusal) -> Void = { _ in }
    ) throws(FleetError) {
        try self.init(options, retriesFirstConnection: true, onRefusal: onRefusal)
    }

    private init(
        _ options: Options, retriesFirstConnection: Bool, onRefusal: @escaping @Sendable (HubRefusal) -> Void
    ) throws(FleetError) {
        // libnats would take one on this machine instead.
        guard !options.servers.isEmpty else { throw FleetError(.invalidAddress, "the hub has no address; name one") }
        let exchanges = Exchanges(inboxPrefix: options.inboxPrefix, onRefusal: onRefusal)
        var connection: OpaquePointer?
        let settings = try Self.settings(options, retriesFirstConnection, exchanges)
        defer { natsOptions_Destroy(settings) }
        let status = natsConnection_Connect(&connection, settings)
        guard let connection, status == NATS_OK || status == NATS_NOT_YET_CONNECTED else {
            // Whatever libnats may still say of it, nobody hears.
            Contexts.remove(exchanges)
            if !retriesFirstConnection { throw FleetError.connection(status) }
            throw FleetError.library("connect to \(options.servers.joined(separator: ", "))", status)
        }
        if status == NATS_OK { exchanges.connected(isFirst: true) }
        self.connection = Pointer(connection)
        self.exchanges = exchanges
        do {
            inbox = try Self.subscribe(
                self.connection, exchanges.inbox + ".*", Receiver { [weak exchanges] in exchanges?.received($0) })
        } catch {
            guard natsConnection_IsClosed(connection) else {
                natsConnection_Destroy(connection)
                throw error
            }
            inbox = nil
        }
    }

    deinit {
        exchanges.end()
        Self.onThread { [connection, inbox] in
            natsSubscription_Destroy(inbox?.value)
            natsConnection_Destroy(connection.value)
        }
    }

    /// Runs what may wait for libnats's lock, without waiting for it.
    private static func onThread(_ work: @escaping @Sendable () -> Void) {
        // Without a thread it takes the time that it takes.
        guard let thread = WorkerThread("fleet close", work) else { return work() }
        thread.detach()
    }

    /// What libnats guards itself.
    private struct Pointer: @unchecked Sendable {
        let value: OpaquePointer

        init(_ value: OpaquePointer) { self.value = value }
    }

    /// Whom libnats calls, by number. Removed once libnats says that the connection is closed; but where a hub has sent
    /// errors behind the one that closes it, libnats tells of these after that.
    private enum Contexts {
        private static let all = Mutex<[UInt: Exchanges]>([:])

        static func pointer(to exchanges: Exchanges) -> UnsafeMutableRawPointer? {
            UnsafeMutableRawPointer(bitPattern: exchanges.number)
        }

        static func add(_ exchanges: Exchanges) { all.withLock { $0[exchanges.number] = exchanges } }

        static func remove(_ exchanges: Exchanges) { all.withLock { $0[exchanges.number] = nil } }

        /// Nil where it was removed.
        static func exchanges(of pointer: UnsafeMutableRawPointer?) -> Exchanges? {
            all.withLock { $0[UInt(bitPattern: pointer)] }
        }
    }

    private static func settings(
        _ options: Options, _ retriesFirstConnection: Bool, _ exchanges: Exchanges
    ) throws(FleetError) -> OpaquePointer {
        var made: OpaquePointer?
        guard natsOptions_Create(&made) == NATS_OK, let made else {
            throw FleetError(.libraryFailed, "libnats is out of memory for a connection")
        }
        var results: [(String, natsStatus)] = []
        func set(_ what: String, _ status: natsStatus) { results.append((what, status)) }
        var servers: [UnsafePointer<CChar>?] = options.servers.map { UnsafePointer(strdup($0)) }
        defer { for server in servers { free(UnsafeMutablePointer(mutating: server)) } }
        set("servers", natsOptions_SetServers(made, &servers, Int32(servers.count)))
        set("name", natsOptions_SetName(made, options.clientName))
        set("timeout", natsOptions_SetTimeout(made, Int64(options.connectTimeout.milliseconds)))
        set("write timeout", natsOptions_SetWriteDeadline(made, Int64(options.writeTimeout.milliseconds)))
        set("ping interval", natsOptions_SetPingInterval(made, pingInterval))
        set("pings", natsOptions_SetMaxPingsOut(made, 1))
        set("reconnects", natsOptions_SetMaxReconnect(made, -1))
        set("buffer", natsOptions_SetReconnectBufSize(made, bufferLength))
        // One thread for all subscriptions.
        set("delivery", natsOptions_UseGlobalMessageDelivery(made, true))
        switch options.authentication {
        case .none: break
        case .user(let name, let password): set("user", natsOptions_SetUserInfo(made, name, password))
        case .credentials(let file): set("credentials", natsOptions_SetUserCredentialsFromFiles(made, file, nil))
        }
        switch options.tls {
        case .none: break
        case .system: set("TLS", natsOptions_SetSecure(made, true))
        case .authorities(let file):
            set("TLS", natsOptions_SetSecure(made, true))
            set("authorities", natsOptions_LoadCATrustedCertificates(made, file))
        }
        let context = Contexts.pointer(to: exchanges)
        set("pauses", natsOptions_SetCustomReconnectDelay(made, { _, attempts, _ in NATSLink.pause(attempts) }, nil))
        let connected: natsConnectionHandler = { _, context in Contexts.exchanges(of: context)?.connected() }
        // Without a function for the first connection, connecting would block.
        if retriesFirstConnection {
            set("first connection", natsOptions_SetRetryOnFailedConnect(made, true, connected, context))
        }
        set("later connections", natsOptions_SetReconnectedCB(made, connected, context))
        if let (what, status) = results.first(where: { $0.1 != NATS_OK }) {
            natsOptions_Destroy(made)
            throw FleetError.library("take the \(what) of the hub", status)
        }
        Contexts.add(exchanges)
        natsOptions_SetDisconnectedCB(made, { _, context in Contexts.exchanges(of: context)?.disconnected() }, context)
        // Else libnats writes them to standard error.
        natsOptions_SetErrorHandler(
            made,
            { _, _, _, context in
                // Its text is this thread's last. The connection's own is behind libnats's lock.
                guard let exchanges = Contexts.exchanges(of: context), let text = nats_GetLastError(nil) else { return }
                guard let refusal = HubRefusal(errorText: String(cString: text)) else { return }
                exchanges.refused(refusal)
            }, context)
        natsOptions_SetClosedCB(
            made,
            { connection, context in
                guard let exchanges = Contexts.exchanges(of: context) else { return }
                var text: UnsafePointer<CChar>?
                let status = natsConnection_GetLastError(connection, &text)
                let reason = status == NATS_OK ? nil : text.map { String(cString: $0) }
                Contexts.remove(exchanges)
                exchanges.end(because: reason)
            }, context)
        return made
    }

    /// The pause before a try, in ms, any up to a maximum that grows: ten thousand kiosks must not come back at once.
    private static func pause(_ attempts: Int32) -> Int64 {
        Int64.random(in: 0...min(maximumPause, 250 << Int64(min(max(attempts, 0), 10))))
    }

    // MARK: FleetLink

    package var isConnected: Bool { exchanges.isConnected }

    package func request(_ message: HubMessage, timeout: Duration) async throws -> HubMessage {
        let response = try await withThrowingTaskGroup(of: HubMessage?.self) { group in
            group.addTask {
                try await self.exchanges.response(of: message.subject) { try self.send(message, reply: $0) }
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let response else {
            throw FleetError(
                .noResponse, "the hub has not responded to \(message.subject) within \(timeout); it may have done it")
        }
        guard response.status != 503 else {
            throw FleetError(
                .noResponders, "nobody at the hub serves \(message.subject); is JetStream on, and its streams made?")
        }
        return response
    }

    package func publish(_ message: HubMessage) throws { try send(message, reply: message.replySubject) }

    private func send(_ message: HubMessage, reply: String?) throws(FleetError) {
        guard isConnected else { throw FleetError.notConnected }
        var made: OpaquePointer?
        let status = message.body.withUnsafeBytes { bytes in
            natsMsg_Create(
                &made, message.subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(clamping: bytes.count))
        }
        guard let made, status == NATS_OK else { throw FleetError.library("make a message", status) }
        defer { natsMsg_Destroy(made) }
        for (name, value) in message.headers.sorted(by: { $0.key < $1.key }) {
            let status = natsMsgHeader_Set(made, name, value)
            guard status == NATS_OK else { throw FleetError.library("set the header \(name)", status) }
        }
        switch natsConnection_PublishMsg(connection.value, made) {
        case NATS_OK: return
        case NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED, NATS_INSUFFICIENT_BUFFER, NATS_IO_ERROR,
            NATS_TIMEOUT:
            throw FleetError.notConnected
        case let status: throw FleetError.library("send to \(message.subject)", status)
        }
    }

    package func messages(of subject: String, maximum: Int) throws -> AsyncStream<HubMessage> {
        guard isConnected else { throw FleetError.notConnected }
        let (stream, continuation) = AsyncStream.makeStream(
            of: HubMessage.self, bufferingPolicy: .bufferingOldest(maximum))
        let subscription = Subscription(try Self.subscribe(connection, subject, Receiver { continuation.yield($0) }))
        let number = exchanges.add(continuation)
        continuation.onTermination = { [weak exchanges] _ in
            exchanges?.remove(number)
            subscription.end()
        }
        return stream
    }

    package func inbox(maximum: Int) throws -> (subject: String, messages: AsyncStream<HubMessage>) {
        let subject = exchanges.newInbox()
        return (subject, try messages(of: subject, maximum: maximum))
    }

    package func waitForDisconnection() async throws {
        do {
            // Nobody knows where a response would have to go.
            _ = try await exchanges.response(of: nil) { _ in
                if !isConnected { throw FleetError.notConnected }
            }
        } catch let error as FleetError where error.code == .notConnected {}
    }

    package func waitForConnection() async throws {
        try await exchanges.wait(for: .connection)
    }

    package func waitForEnd() async throws -> FleetError {
        while true {
            if let reason = exchanges.end { return reason }
            try await exchanges.wait(for: .end)
        }
    }

    package func close() {
        exchanges.end()
        Self.onThread { [self] in natsConnection_Close(connection.value) }
    }

    // MARK: Subscriptions

    private static func subscribe(
        _ connection: Pointer, _ subject: String, _ receiver: Receiver
    ) throws(FleetError) -> Pointer {
        var made: OpaquePointer?
        let context = Unmanaged.passRetained(receiver)
        let status = natsConnection_Subscribe(
            &made, connection.value, subject,
            { _, _, message, context in
                guard let message else { return }
                defer { natsMsg_Destroy(message) }
                guard let context else { return }
                Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue().receive(HubMessage(message))
            }, context.toOpaque())
        guard status == NATS_OK, let made else {
            context.release()
            throw FleetError.library("subscribe to \(subject)", status)
        }
        // The last call for this subscription, once nothing of it is under way. Where the connection has closed since, it
        // may be refused; the receiver is kept then, which may still be called.
        natsSubscription_SetOnCompleteCB(
            made,
            { context in
                guard let context else { return }
                Unmanaged<Receiver>.fromOpaque(context).release()
            }, context.toOpaque())
        return Pointer(made)
    }

    /// Whom libnats calls with a subscription's messages.
    private final class Receiver: Sendable {
        let receive: @Sendable (HubMessage) -> Void

        init(_ receive: @escaping @Sendable (HubMessage) -> Void) { self.receive = receive }
    }

    /// A subscription that ends once, whoever ends it.
    private final class Subscription: Sendable {
        private let pointer: Pointer
        private let isOver = Mutex(false)

        init(_ pointer: Pointer) { self.pointer = pointer }

        func end() {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst { NATSLink.onThread { [pointer] in natsSubscription_Destroy(pointer.value) } }
        }
    }
}

extension HubMessage {
    /// Copies a message of libnats.
    fileprivate init(_ message: OpaquePointer) {
        let length = Int(natsMsg_GetDataLength(message))
        let body = UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: max(0, length))
        self.init(
            subject: natsMsg_GetSubject(message).map { String(cString: $0) } ?? "",
            replySubject: natsMsg_GetReply(message).map { String(cString: $0) }, headers: Self.headers(of: message),
            body: Array(body))
    }

    /// The first value of each name.
    private static func headers(of message: OpaquePointer) -> [String: String] {
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var count: Int32 = 0
        guard natsMsgHeader_Keys(message, &names, &count) == NATS_OK, let names else { return [:] }
        defer { free(names) }
        var headers: [String: String] = [:]
        for index in 0..<Int(count) {
            guard let name = names[index] else { continue }
            var value: UnsafePointer<CChar>?
            guard natsMsgHeader_Get(message, name, &value) == NATS_OK, let value else { continue }
            headers[String(cString: name)] = String(cString: value)
        }
        return headers
    }
}

extension FleetError {
    /// Why libnats, on this thread, has not connected.
    fileprivate static func connection(_ status: natsStatus) -> FleetError {
        // The text may be of an earlier attempt, at another server.
        var textStatus = NATS_OK
        let last = nats_GetLastError(&textStatus).map { String(cString: $0) } ?? ""
        let text = textStatus == status ? last : ""
        // Where in libnats it was, such as `(conn.c:1905): `, comes first, and the last errno of a handshake at the end.
        let cause = text.replacing(#/^\([^()]*\): /#, with: "")
            .replacing("(null)", with: "the connection has ended")
            .replacing(#/ \(ssl err=.*$/#, with: "")
        let reason = cause.isEmpty ? String(cString: natsStatus_GetText(status)) : cause
        let isRefusal =
            switch status {
            case NATS_CONNECTION_AUTH_FAILED, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED: true
            // A handshake that breaks off has this status too. Only a certificate's error has a number (X509_V_ERR_…).
            case NATS_SSL_ERROR: reason.contains("certificate") || reason.contains(#/handshake error: \d+:/#)
            default: false
            }
        return FleetError(isRefusal ? .notPermitted : .notConnected, reason)
    }

    fileprivate static func library(_ operation: String, _ status: natsStatus) -> FleetError {
        FleetError(.libraryFailed, "libnats cannot \(operation): \(String(cString: natsStatus_GetText(status)))")
    }
}
