import KioskAPI
import Testing

@testable import kioskd

/// Addresses, names and origins over TCP, as they are read and compared.
@Suite struct NetworkRulesTests {
    // MARK: Addresses to listen at

    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:8631"),
        ("127.0.0.1:80", "http://127.0.0.1:80"),
        ("127.8.8.8", "http://127.8.8.8:8631"),
        ("localhost", "http://localhost:8631"),
        ("LocalHost:0", "http://localhost:0"),
        ("[::1]", "http://[::1]:8631"),
        ("[0:0:0:0:0:0:0:1]:9", "http://[::1]:9"),
        ("http://localhost:8080/", "http://localhost:8080"),
        ("https://127.0.0.1", "https://127.0.0.1:8631"),
        ("0.0.0.0", "https://0.0.0.0:8631"),
        ("[::]:443", "https://[::]:443"),
        ("192.0.2.7:8631", "https://192.0.2.7:8631"),
        ("HTTPS://Till.Example.", "https://till.example:8631"),
        ("till", "https://till:8631"),
    ])
    func `an address to listen at has TLS unless it is on loopback`(text: String, expected: String) throws {
        #expect(try ListenAddress(text).description == expected)
    }

    @Test(arguments: ["http://0.0.0.0", "http://till.example:8631", "http://[::]", "http://192.0.2.7"])
    func `plain HTTP off loopback is refused, with what to write instead`(text: String) throws {
        let error = try #require(throws: ListenAddress.Invalid.self) { try ListenAddress(text) }
        #expect(error.description.contains(text.replacing("http://", with: "https://")))
    }

    @Test(arguments: [
        "", ":8631", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "::1", "[::1", "[::1]x", "[1]",
        "[localhost]", "ftp://localhost", "a b", "a/b", "user@host", "https://", "é", "127.0.0.1:8631:1",
    ])
    func `what is no address is refused`(text: String) {
        #expect(throws: ListenAddress.Invalid.self) { try ListenAddress(text) }
    }

    // MARK: Host

    private static let rule = HostRule(
        configured: ["proxy.example"], machine: ["kiosk.example", "kiosk", "kiosk.local"])
    private static let door = HostRule.Door(
        localAddress: "192.0.2.7", port: 8631, isSecure: true, certificateNames: ["cert.example", "*.Shop.example"])

    @Test(arguments: [
        "localhost:8631", "127.0.0.1:8631", "[::1]:8631", "[0:0::1]:8631", "LOCALHOST:8631", "localhost.:8631",
        "kiosk:8631", "kiosk.example:8631", "Kiosk.Local:8631", "192.0.2.7:8631", "[::ffff:192.0.2.7]:8631",
        "cert.example:8631", "till.shop.example:8631", "proxy.example", "proxy.example:443", "PROXY.example.:1",
    ])
    func `a request for one of the daemon's own names is served`(authority: String) {
        #expect(Self.rule.allows(authority, at: Self.door))
    }

    @Test(arguments: [
        nil, "", "evil.example", "evil.example:8631", "localhost", "localhost:8632", "localhost:8631:8631",
        "localhost:", "192.0.2.8:8631", "127.0.0.2:8631", "127.1:8631", "2130706433:8631", "[::2]:8631",
        "localhost.evil.example:8631", "evil.example:8631@localhost", "localhost:8631/", "shop.example:8631",
        "a.b.shop.example:8631", ".shop.example:8631", "xcert.example:8631", "kiosk:8631, localhost:8631",
        "kiosk..local:8631", "proxy.example.evil:8631", "localhost\u{0}:8631",
    ])
    func `a request for another host is not`(authority: String?) {
        #expect(!Self.rule.allows(authority, at: Self.door))
    }

    @Test(arguments: [(443, true, true), (80, false, true), (443, false, false), (80, true, false)])
    func `a client leaves out the standard port of its scheme`(port: Int, isSecure: Bool, expected: Bool) {
        let door = HostRule.Door(localAddress: nil, port: port, isSecure: isSecure)
        #expect(Self.rule.allows("localhost", at: door) == expected)
    }

    // MARK: Origins

    private static let sites: [(String?, String?, Bool)] = [
        (nil, nil, true),
        ("same-origin", "https://kiosk:8631", true),
        ("none", nil, true),
        ("same-site", "https://kiosk:9000", false),
        ("cross-site", "https://evil.example", false),
        // What it says of itself is not looked at any more.
        ("cross-site", "https://kiosk:8631", false),
        ("SAME-ORIGIN", nil, false),
        ("", nil, false),
        ("same-origin, cross-site", nil, false),
        (nil, "https://kiosk:8631", true),
        (nil, "https://KIOSK:8631", true),
        // Behind a proxy the scheme is not known.
        (nil, "http://kiosk:8631", true),
        (nil, "https://kiosk", false),
        (nil, "https://kiosk:8632", false),
        (nil, "https://evil.example", false),
        (nil, "https://kiosk:8631.evil.example", false),
        (nil, "null", false),
        (nil, "", false),
        (nil, "kiosk:8631", false),
        (nil, "file://kiosk:8631", false),
        (nil, "https://kiosk:8631, https://kiosk:8631", false),
    ]

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "TRACE", "get", ""], sites)
    func `a page of another origin changes nothing`(method: String, site: (String?, String?, Bool)) {
        let request = CrossOriginRule.Request(
            method: method, host: "kiosk:8631", secFetchSite: site.0, origin: site.1)
        #expect(CrossOriginRule.allows(request) == site.2)
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS"])
    func `what changes nothing may come from everywhere`(method: String) {
        #expect(
            CrossOriginRule.allows(
                .init(method: method, host: "kiosk", secFetchSite: "cross-site", origin: "https://evil.example")))
    }

    @Test func `a listed till with its token may print`() {
        #expect(
            CrossOriginRule.allows(
                .init(
                    method: "POST", host: "kiosk", secFetchSite: "cross-site", origin: "https://till.example",
                    isListedWithToken: true)))
    }

    // MARK: Plain requests where TLS is spoken

    private static func answer(_ text: String, isTooLong: Bool = false) -> String? {
        PlainRequestHandler.answer(to: text, isTooLong: isTooLong) { rule.allows($0, at: door) }
    }

    @Test(arguments: ["/", "/printers/new?url=ipp:%2F%2Fx", "//evil.example/"])
    func `a browser that comes without TLS is sent on`(target: String) throws {
        let answer = try #require(
            Self.answer("GET \(target) HTTP/1.1\r\nHost: kiosk:8631\r\nAccept: text/html\r\n\r\n"))
        #expect(answer.hasPrefix("HTTP/1.1 307"))
        #expect(answer.contains("\r\nLocation: https://kiosk:8631\(target)\r\n"))
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: kiosk:8631\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kiosk:8631\r\nHost: kiosk:8631\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: kiosk:8631\r\nAuthorization: Bearer x\r\n\r\n",
        "GET http://kiosk:8631/ HTTP/1.1\r\nHost: kiosk:8631\r\n\r\n",
        "GET /\u{0}x HTTP/1.1\r\nHost: kiosk:8631\r\n\r\n",
        "GET /é HTTP/1.1\r\nHost: kiosk:8631\r\n\r\n",
        "GET /x\ny HTTP/1.1\r\nHost: kiosk:8631\r\n\r\n",
        "\r\n\r\n", "SSH-2.0-x\r\n\r\n", "\u{FFFD}\r\n\r\n",
    ])
    func `everybody else without TLS is told to use it`(text: String) throws {
        let answer = try #require(Self.answer(text))
        #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("https://") && !answer.contains("Location"))
    }

    @Test func `a header without TLS is waited for, but not for ever`() {
        #expect(Self.answer("GET / HTTP/1.1\r\nHost: kiosk:8631\r\n") == nil)
        #expect(Self.answer("GET / HTTP/1.1\r\nHost: kio", isTooLong: true)?.hasPrefix("HTTP/1.1 400") == true)
    }

    // MARK: Addresses

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:DB8::0001", "2001:db8::1"),
        ("::1", "::1"),
    ])
    func `an address has one form`(text: String, expected: String) {
        #expect(RemoteAddress(text)?.description == expected)
    }

    @Test(arguments: ["", "localhost", "192.0.2", "192.0.2.7 ", "1.2.3.4.5", "::1%lo", "[::1]", "192.0.2.7\u{0}"])
    func `what is no address is none`(text: String) {
        #expect(RemoteAddress(text) == nil)
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
        ("2001:db8::1", "2001:db8:0:0:ffff::1", true), ("2001:db8::1", "2001:db8:0:1::1", false),
        ("127.0.0.1", "::1", true), ("127.0.0.1", "::ffff:127.3.3.3", true), ("127.0.0.1", "128.0.0.1", false),
    ])
    func `the addresses of one host share a limit`(one: String, other: String, expected: Bool) throws {
        #expect(
            (try #require(RemoteAddress(one)).limitKey == #require(RemoteAddress(other)).limitKey) == expected)
    }

    @Test func `a machine is known by its name, its short name and NAME.local`() throws {
        let addresses = ["127.0.0.1", "192.0.2.7", "fe80::1", "169.254.1.1", "2001:db8::7", "192.0.2.7"]
            .compactMap { RemoteAddress($0) }
        let machine = MachineNames(hostName: "Kiosk.Example.com", addresses: addresses)
        #expect(machine.names == ["kiosk.example.com", "kiosk", "kiosk.local"])
        #expect(machine.addresses == ["192.0.2.7", "2001:db8::7"])
        #expect(
            machine.certificateNames(and: ["proxy.example", "kiosk"]) == [
                "kiosk.example.com", "kiosk", "kiosk.local", "proxy.example", "localhost", "127.0.0.1", "::1",
                "192.0.2.7", "2001:db8::7",
            ])
    }

    @Test(arguments: ["", "localhost", "192.0.2.7", "a b", "x,DNS:evil.example", String(repeating: "x", count: 65)])
    func `a host name that is no name is left out`(hostName: String) {
        #expect(MachineNames(hostName: hostName, addresses: []).names.isEmpty)
    }
}

/// What one remote address may take up.
@Suite struct AddressLimitsTests {
    private let start = ContinuousClock.now
    private let till = RemoteAddress("192.0.2.7")!
    private let other = RemoteAddress("192.0.2.8")!
    private let loopback = RemoteAddress("127.0.0.1")!

    @Test func `a bucket gives its burst at once, then its rate`() {
        var bucket = RateBucket(rate: 10, burst: 3, at: start)
        #expect(bucket.isFull(at: start))
        func taken(_ milliseconds: Int...) -> [Bool] {
            milliseconds.map { bucket.take(at: start + .milliseconds($0)) }
        }
        #expect(taken(0, 0, 0, 0) == [true, true, true, false])
        #expect(taken(99, 101, 101) == [false, true, false])
        // It never holds more than its burst.
        #expect(taken(3_600_000, 3_600_000, 3_600_000, 3_600_000) == [true, true, true, false])
    }

    @Test func `a clock that stands still or jumps back gives nothing`() {
        var bucket = RateBucket(rate: 10, burst: 1, at: start)
        let taken = [start, start - .seconds(3600), start, start + .milliseconds(101)].map { bucket.take(at: $0) }
        #expect(taken == [true, false, false, true])
    }

    private func code(_ work: () throws -> Void) -> Problem.Code? {
        do { try work() } catch { return (error as? Problem)?.code }
        return nil
    }

    @Test func `an address has so many connections, and another one its own`() throws {
        var bounds = AddressLimits.Bounds()
        (bounds.perAddress, bounds.total) = (2, 4)
        let limits = AddressLimits(bounds)
        var places = [try limits.open(from: till, at: start), try limits.open(from: till, at: start)]
        #expect(code { _ = try limits.open(from: till, at: start) } == .tooManyRequests)
        places += [try limits.open(from: other, at: start), try limits.open(from: loopback, at: start)]
        #expect(code { _ = try limits.open(from: loopback, at: start) } == .overloaded)
        places[0].giveBack()
        places[0].giveBack()
        #expect(limits.connections == 3)
        #expect(code { _ = try limits.open(from: till, at: start) } == nil)
        places = []
        #expect(limits.connections == 0)
    }

    @Test func `an address has so many requests, this machine as many as it wants`() throws {
        var bounds = AddressLimits.Bounds()
        (bounds.requestRate, bounds.requestBurst) = (1, 2)
        let limits = AddressLimits(bounds)
        for _ in 0..<2 { #expect(code { try limits.request(from: till, at: start) } == nil) }
        #expect(code { try limits.request(from: till, at: start) } == .tooManyRequests)
        // A new connection costs as much as a request.
        #expect(code { _ = try limits.open(from: till, at: start) } == .tooManyRequests)
        #expect(code { try limits.request(from: other, at: start) } == nil)
        for _ in 0..<10 { #expect(code { try limits.request(from: loopback, at: start) } == nil) }
        #expect(code { try limits.request(from: till, at: start + .seconds(1)) } == nil)
    }

    @Test func `an address with connections is remembered, however many others come`() throws {
        var bounds = AddressLimits.Bounds()
        bounds.perAddress = 1
        let limits = AddressLimits(bounds)
        let place = try limits.open(from: till, at: start)
        for number in 0..<10_000 {
            let address = try #require(RemoteAddress("2001:db8:\(String(number, radix: 16))::1"))
            try limits.request(from: address, at: start)
        }
        #expect(code { _ = try limits.open(from: till, at: start) } == .tooManyRequests)
        place.giveBack()
        #expect(code { _ = try limits.open(from: till, at: start) } == nil)
    }

    @Test(arguments: [(4096, 1024, 768, 64), (1024, 256, 192, 64), (256, 64, 48, 16), (0, 16, 12, 4)])
    func `a process with few files serves few connections`(files: Int, total: Int, loopback: Int, each: Int) {
        let bounds = AddressLimits.Bounds(descriptors: files)
        #expect([bounds.total, bounds.loopback, bounds.perAddress] == [total, loopback, each])
    }
}
