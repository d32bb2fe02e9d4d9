import KioskDiscovery
import KioskPrintModel
import KioskTestSupport
import Testing

/// The bytes that printers send, as public captures have them.
enum Responses {
    static func enpc(_ information: [UInt8]) -> [UInt8] {
        Array("EPSONq".utf8) + [3, 0, 0, 0, 0, 0, UInt8(information.count >> 8), UInt8(information.count & 0xFF)]
            + information
    }

    static let enpcPrinter = enpc([0, 0x26, 0xAB, 0x11, 0x22, 0x33, 0, 0] + Array("TM-m30II".utf8) + [0, 1])

    static func star(_ model: String = "TSP143 (STR_T-001)") -> [UInt8] {
        func field(_ text: String, _ length: Int) -> [UInt8] {
            let bytes = Array(text.utf8.prefix(length))
            return bytes + [UInt8](repeating: 0, count: length - bytes.count)
        }
        var bytes = field("STR_BCAST", 16) + field("RS1.0.1", 8) + [1, 0x2E] + field("", 10)
        bytes += field("TSP100LAN", 16) + field("V2.1", 8) + field("V2.1", 8) + field("", 10)
        bytes += [0, 0x11, 0x62, 1, 2, 3, 0, 0, 0, 0] + [192, 0, 2, 77] + field("DHCP", 16)
        bytes += [255, 255, 255, 0, 192, 0, 2, 1] + field("", 24) + field("Star", 32) + field("STAR", 32)
        return bytes + field(model, 64) + field("PRINTER", 32) + [0, 0]
    }

    static func zebra(_ model: String = "ZD421-203dpi") -> [UInt8] {
        var bytes: [UInt8] = [0x3A, 0x2C, 0x2E, 3] + Array("79071\0\0\0".utf8)
        bytes += Array(model.utf8.prefix(12)) + [UInt8](repeating: 0, count: max(0, 12 - model.utf8.count))
        return bytes + [UInt8](repeating: 0, count: 72)
    }
}

@Suite struct DiscoveryCodecTests {
    private static let parsers: [@Sendable ([UInt8], String) -> NetworkFinding?] = [
        { ENPC.finding($0, from: $1) }, { StarSDP.finding($0, from: $1) }, { ZebraDiscovery.finding($0, from: $1) },
    ]

    @Test func `the queries are those of the makers' programs`() {
        #expect(ENPC.query == Array("EPSONQ".utf8) + [3, 0, 0, 0, 0, 0, 0, 0])
        #expect(StarSDP.query.count == 28)
        #expect(StarSDP.query.starts(with: Array("STR_BCAST\0\0\0\0\0\0\0RQ1.0.0\0\0".utf8)))
        #expect(ZebraDiscovery.query == [0x2E, 0x2C, 0x3A, 1, 0, 0])
    }

    @Test func `a response names the model, and its sender is the address`() throws {
        let epson = try #require(ENPC.finding(Responses.enpcPrinter, from: "192.0.2.7"))
        #expect(epson.makeAndModel == "EPSON TM-m30II")
        #expect(epson.url.description == "socket://192.0.2.7")
        #expect(epson.source == .enpc)
        #expect(Responses.star().count == 302)
        let star = try #require(StarSDP.finding(Responses.star(), from: "192.0.2.8"))
        #expect(star.makeAndModel == "Star TSP143 (STR_T-001)")
        // Not the address that stands in it: that would send receipts wherever a datagram says.
        #expect(star.url.description == "socket://192.0.2.8")
        let zebra = try #require(ZebraDiscovery.finding(Responses.zebra(), from: "192.0.2.9"))
        #expect(zebra.makeAndModel == "Zebra ZD421-203dpi")
    }

    @Test func `a response without a name is a printer of its maker`() throws {
        #expect(try #require(ENPC.finding(Responses.enpc([]), from: "192.0.2.7")).makeAndModel == "EPSON")
        #expect(try #require(ENPC.finding(Responses.enpc([0, 1, 2]), from: "192.0.2.7")).model == nil)
        let star = try #require(StarSDP.finding(Responses.star(""), from: "192.0.2.8"))
        #expect(star.makeAndModel == "Star TSP100LAN")
        #expect(try #require(ZebraDiscovery.finding(Responses.zebra("\u{1}\u{2}"), from: "192.0.2.9")).model == nil)
    }

    @Test func `a refusal, another function and a query are not responses`() {
        var refused = Responses.enpcPrinter
        (refused[10], refused[11]) = (0xFF, 0xFE)
        #expect(ENPC.Response(refused) == nil)
        var other = Responses.enpcPrinter
        other[9] = 0x10
        #expect(ENPC.Response(other) == nil)
        #expect(ENPC.Response(ENPC.query) == nil)
        #expect(StarSDP.Response(StarSDP.query) == nil)
        #expect(ZebraDiscovery.Response(ZebraDiscovery.query) == nil)
    }

    @Test func `a datagram that is cut anywhere is refused or read without it`() {
        for (parser, whole) in zip(Self.parsers, [Responses.enpcPrinter, Responses.star(), Responses.zebra()]) {
            for length in 0..<whole.count {
                let finding = parser(Array(whole.prefix(length)), "192.0.2.7")
                #expect((finding?.makeAndModel.utf8.count ?? 0) <= 127)
            }
        }
        #expect(ENPC.Response(Array(Responses.enpcPrinter.dropLast())) == nil)
    }

    @Test func `damaged datagrams never trap, and no text in a finding can harm a terminal`() {
        var random = SeededRandom(3289)
        for (parser, whole) in zip(Self.parsers, [Responses.enpcPrinter, Responses.star(), Responses.zebra()]) {
            for _ in 0..<2000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                guard let finding = parser(bytes, "192.0.2.7") else { continue }
                #expect(!finding.makeAndModel.hasControlCharacters)
            }
        }
    }

    @Test func `an address that no URL holds is no printer`() {
        #expect(ENPC.finding(Responses.enpcPrinter, from: "not an address") == nil)
    }

    // MARK: DNS-SD

    private static func service(
        _ type: String, _ text: [String], port: Int = 631, address: String = "192.0.2.10"
    ) -> DNSSDService {
        DNSSDService(
            name: "Kitchen", type: type, hostName: "Kitchen.local.", address: address, port: port,
            text: text.map { Array($0.utf8) })
    }

    @Test(arguments: [
        ("_ipp._tcp", 631, ["rp=ipp/print"], "ipp://192.0.2.10/ipp/print"),
        ("_ipps._tcp", 8631, ["rp=/printers/till one"], "ipps://192.0.2.10:8631/printers/till%20one"),
        ("_ipp._tcp", 631, [], "ipp://192.0.2.10/ipp/print"),
        ("_pdl-datastream._tcp", 9100, [], "socket://192.0.2.10"),
        ("_printer._tcp", 515, ["rp=lp"], "lpd://192.0.2.10/lp"),
        ("_printer._tcp", 515, [], "lpd://192.0.2.10/auto"),
    ]) func `a service is a way to a printer`(_ type: String, _ port: Int, _ text: [String], _ url: String) throws {
        #expect(try #require(Self.service(type, text, port: port).finding).url.description == url)
    }

    @Test func `the TXT record tells the printer`() throws {
        let finding = try #require(
            Self.service(
                "_ipp._tcp",
                [
                    "txtvers=1", "TY=ACME Laser 5", "ty=another", "product=(Laser 5)", "note=Back office",
                    "pdl=application/pdf,image/urf,nonsense", "UUID=01234567-89AB-CDEF-0123-456789abcdef",
                    "usb_MFG=ACME",
                    "usb_MDL=Laser 5", "=no key", "no value",
                ]
            ).finding)
        #expect(finding.makeAndModel == "ACME Laser 5")
        #expect(finding.location == "Back office")
        #expect(finding.formats == ["application/pdf", "image/urf"])
        #expect(finding.uuid == "01234567-89ab-cdef-0123-456789abcdef")
        #expect(finding.hostName == "kitchen.local")
        let product = try #require(Self.service("_ipp._tcp", ["product=(Laser 5)", "usb_MFG=ACME"]).finding)
        #expect(product.makeAndModel == "ACME Laser 5")
        #expect(try #require(Self.service("_ipp._tcp", []).finding).makeAndModel == "Kitchen")
    }

    @Test func `port 0 says that there is no such service`() {
        #expect(Self.service("_printer._tcp", ["rp=lp"], port: 0).finding == nil)
        #expect(Self.service("_printer._tcp", ["rp=lp"], port: 70_000).finding == nil)
    }

    @Test func `texts are bounded and clean, and a zone is written as URLs have it`() throws {
        let finding = try #require(
            Self.service(
                "_ipp._tcp",
                ["ty=\u{1B}[31mEvil\r\n" + String(repeating: "x", count: 500), "UUID=not-one", "note=\u{7}"],
                address: "fe80::1%eth0"
            ).finding)
        #expect(finding.makeAndModel.hasPrefix("[31mEvil x"))
        #expect(finding.makeAndModel.utf8.count <= 127)
        #expect(finding.location == nil)
        #expect(finding.uuid == nil)
        #expect(finding.url.description == "ipp://[fe80::1%25eth0]/ipp/print")
    }

    @Test func `a queue that no URL holds is no printer`() {
        #expect(Self.service("_printer._tcp", ["rp=a queue/with/much"], port: 515).finding == nil)
        #expect(Self.service("_http._tcp", []).finding == nil)
    }
}

@Suite struct NetworkPrintersTests {
    private static func finding(
        _ url: String, _ model: String? = "TM-m30", host: String? = nil, uuid: String? = nil,
        source: NetworkFinding.Source = .dnsSD
    ) throws -> NetworkFinding {
        let url = try PrinterURL(url)
        var finding = NetworkFinding(
            url: url, address: url.host, makeAndModel: model ?? "EPSON", model: model, source: source)
        (finding.hostName, finding.uuid) = (host, uuid)
        return finding
    }

    private static func merged(_ findings: [NetworkFinding]) -> [NetworkPrinter] {
        var printers = NetworkPrinters()
        for finding in findings { printers.add(finding, at: .zero) }
        return printers.rest()
    }

    @Test func `what several services tell of one printer is one printer, and IPP is the way to save it`() throws {
        let findings = [
            try Self.finding("socket://192.0.2.7", nil, source: .enpc), try Self.finding("lpd://192.0.2.7/auto"),
            try Self.finding("socket://192.0.2.7", "EPSON TM-m30"), try Self.finding("ipp://192.0.2.7/ipp/print"),
            try Self.finding("ipps://192.0.2.7/ipp/print"),
        ]
        for order in [findings, findings.reversed()] {
            let printers = Self.merged(order)
            try #require(printers.count == 1)
            #expect(printers[0].best.url.scheme == .ipps)
            #expect(printers[0].findings.map(\.url.scheme.name) == ["ipps", "ipp", "socket", "socket", "lpd"])
            #expect(printers[0].sources == [.dnsSD, .enpc])
            #expect(printers[0].makeAndModel == "TM-m30")
        }
    }

    @Test func `a UUID joins two addresses, and parts two printers at one`() throws {
        let uuid = "01234567-89ab-cdef-0123-456789abcdef"
        let joined = Self.merged([
            try Self.finding("ipp://192.0.2.7", uuid: uuid), try Self.finding("ipp://[2001:db8::7]", uuid: uuid),
            try Self.finding("ipp://127.0.0.1", uuid: uuid),
        ])
        #expect(joined.map(\.best.address) == ["192.0.2.7"])
        #expect(joined[0].ways.count == 3)
        let other = "11234567-89ab-cdef-0123-456789abcdef"
        #expect(
            Self.merged([
                try Self.finding("ipp://192.0.2.7", uuid: uuid), try Self.finding("ipp://192.0.2.7:8631", uuid: other),
            ]).count == 2)
    }

    @Test func `another host that claims a printer's UUID hides none of its addresses`() throws {
        let uuid = "01234567-89ab-cdef-0123-456789abcdef"
        let printers = Self.merged([
            try Self.finding("ipp://192.0.2.7/ipp/print", host: "till.local", uuid: uuid),
            try Self.finding("ipp://[2001:db8::7]/ipp/print", host: "till.local", uuid: uuid),
            try Self.finding("ipp://192.0.2.5/ipp/print", host: "other.local", uuid: uuid),
            try Self.finding("ipp://192.0.2.6/ipp/print", host: "till.local", uuid: uuid),
        ])
        try #require(printers.count == 1)
        #expect(printers[0].ways.map(\.host) == ["192.0.2.5", "192.0.2.6", "192.0.2.7"])
        #expect(printers[0].hosts == ["till.local", "other.local"])
        #expect(printers[0].preferring(host: "192.0.2.7").best.address == "192.0.2.7")
        #expect(printers[0].preferring(host: "till.local").ways.last?.host == "192.0.2.5")
    }

    @Test func `two queues and two models of one host are two printers`() throws {
        #expect(
            Self.merged([
                try Self.finding("ipp://192.0.2.7/printers/a"), try Self.finding("ipp://192.0.2.7/printers/b"),
            ]).count == 2)
        #expect(
            Self.merged([try Self.finding("ipp://192.0.2.7", "One"), try Self.finding("socket://192.0.2.7", "Other")])
                .count == 2)
    }

    @Test func `a name joins the addresses of one host`() throws {
        let printers = Self.merged([
            try Self.finding("socket://[fe80::1%25eth0]", host: "till.local"),
            try Self.finding("socket://192.0.2.7", host: "till.local"),
        ])
        #expect(printers.map(\.best.address) == ["192.0.2.7"])
    }

    @Test func `a printer is told of when it has been quiet, and again when more is known`() throws {
        var printers = NetworkPrinters(settleTime: .milliseconds(400))
        printers.add(try Self.finding("socket://192.0.2.7"), at: .zero)
        #expect(printers.settled(at: .milliseconds(399)).isEmpty)
        printers.add(try Self.finding("lpd://192.0.2.7/auto"), at: .milliseconds(300))
        #expect(printers.settled(at: .milliseconds(500)).isEmpty)
        #expect(printers.settled(at: .milliseconds(700)).map(\.number) == [1])
        printers.add(try Self.finding("lpd://192.0.2.7/auto"), at: .milliseconds(800))
        #expect(printers.rest().isEmpty)
        printers.add(try Self.finding("ipp://192.0.2.7"), at: .milliseconds(900))
        #expect(printers.rest().map(\.best.url.scheme.name) == ["ipp"])
    }

    @Test func `two that turn out to be one keep the first number, and the other is taken back`() throws {
        var printers = NetworkPrinters()
        printers.add(try Self.finding("socket://192.0.2.7", source: .enpc), at: .zero)
        printers.add(try Self.finding("ipp://[fe80::1%25eth0]", host: "till.local"), at: .zero)
        #expect(printers.rest().map(\.number) == [1, 2])
        #expect(printers.takeJoined().isEmpty)
        printers.add(try Self.finding("ipp://192.0.2.7", host: "till.local"), at: .zero)
        #expect(printers.takeJoined() == [2])
        let printer = try #require(printers.rest().first)
        #expect(printer.number == 1)
        #expect(printer.findings.count == 3)
        #expect(printers.takeJoined().isEmpty)
    }

    @Test func `a flood of findings is bounded`() throws {
        var printers = NetworkPrinters()
        var leftOut: [NetworkPrinters.LeftOut?] = []
        for number in 0..<1000 {
            leftOut.append(
                printers.add(try Self.finding("socket://10.0.\(number / 250).\(number % 250)"), at: .zero))
        }
        #expect(leftOut.firstIndex(of: .printer) == NetworkPrinters.maximumPrinters)
        #expect(NetworkPrinters.LeftOut.printer.note == "more than 256 printers answered; only 256 are shown")
        let uuid = "01234567-89ab-cdef-0123-456789abcdef"
        for number in 0..<100 {
            printers.add(try Self.finding("ipp://10.0.0.1/\(number)", uuid: uuid), at: .zero)
        }
        let all = printers.rest()
        #expect(all.count == NetworkPrinters.maximumPrinters)
        #expect(all.allSatisfy { $0.findings.count <= NetworkPrinters.maximumFindings })
    }
}
