import KioskPrintModel
import Testing

@Suite struct PrinterURLTests {
    private static let serialForm = "serial:/dev/serial/by-id/NAME?baud=115200, as in ls /dev/serial/by-id"
    private static let serialOptions = """
        options such as ?baud=115200+bits=8+parity=none+flow=hard+stop=1; baud is 1200, 2400, 4800, 9600, 19200, 38400, \
        57600, 115200, 230400 or faster, bits 7 or 8, parity none, even or odd, flow none, soft, hard or dtrdsr, stop 1 \
        or 2
        """

    @Test(arguments: [
        ("ipp://192.0.2.10/ipp/print", "ipp://192.0.2.10/ipp/print"),
        ("IPP://Printer.Example:631", "ipp://printer.example/ipp/print"),
        ("ipp://h:8631/printers/a%20b", "ipp://h:8631/printers/a%20b"),
        ("ipp://h/", "ipp://h/"),
        ("ipps://h:631/ipp/print", "ipps://h/ipp/print"),
        ("ipp://[FE80::1]/ipp/print", "ipp://[fe80::1]/ipp/print"),
        ("ipp://[::1]:8631", "ipp://[::1]:8631/ipp/print"),
        ("ipp://[::ffff:192.0.2.1]/x", "ipp://[::ffff:192.0.2.1]/x"),
        ("ipp://[fe80::1%25eth0]/x", "ipp://[fe80::1%25eth0]/x"),
        ("ipp://[FE80::1%25enP2s0]/x", "ipp://[fe80::1%25enP2s0]/x"),
        ("ipp://under_score/x", "ipp://under_score/x"),
        ("ssh+lpr://kiosk@host/queue-1", "ssh+lpr://kiosk@host/queue-1"),
        ("ssh+lpr://kiosk@host:22/q", "ssh+lpr://kiosk@host/q"),
        ("ssh+lpr://a%40b@host:2222/q", "ssh+lpr://a%40b@host:2222/q"),
        ("usb://EPSON/TM-T20III?serial=X5", "usb://EPSON/TM-T20III?serial=X5"),
        ("usb://HP%20Inc/LaserJet%204", "usb://HP%20Inc/LaserJet%204"),
        ("lpd://Printer:515/RAW", "lpd://printer/RAW"),
        ("lpd://192.0.2.1:5150/lp?format=l&order=control,data&reserve=none", "lpd://192.0.2.1:5150/lp?format=l"),
        ("lpd://h/lp?order=data,control&format=l", "lpd://h/lp?format=l&order=data,control"),
        ("socket://Printer-1", "socket://printer-1"), ("socket://192.0.2.1:9100/", "socket://192.0.2.1"),
        ("socket://192.0.2.1:9101/?waiteof=false&contimeout=3&snmp=true", "socket://192.0.2.1:9101"),
        ("serial:/dev/ttyS0", "serial:/dev/ttyS0?baud=9600"),
        (
            "Serial:///dev/ttyUSB0?baud=115200&bits=8&parity=none&flow=rtscts",
            "serial:/dev/ttyUSB0?baud=115200+flow=hard"
        ),
        (
            "serial:/dev/serial/by-id/usb-FTDI_FT232R-if00-port0?baud=19200+bits=7+parity=even+flow=dtrdsr+stop=2",
            "serial:/dev/serial/by-id/usb-FTDI_FT232R-if00-port0?baud=19200+bits=7+parity=even+flow=dtrdsr+stop=2"
        ),
        (
            "serial:/dev/serial/by-path/pci-0000:00:14.0-usb-0:1",
            "serial:/dev/serial/by-path/pci-0000:00:14.0-usb-0:1?baud=9600"
        ),
        ("serial:/tmp/a%20b?flow=soft+baud=1200", "serial:/tmp/a%20b?baud=1200+flow=soft"),
    ])
    func `reads and writes`(text: String, written: String) throws {
        let url = try PrinterURL(text)
        #expect(url.description == written)
        #expect(try PrinterURL(url.description) == url)
    }

    @Test(arguments: [
        ("ipp://[fe80::1%25enP2s0]:8631/x", "fe80::1%enP2s0", "[fe80::1]:8631"),
        ("ipp://[fe80::1%eth0]/x", "fe80::1%eth0", "[fe80::1]"), ("ipp://[::1]/x", "::1", "[::1]"),
        ("ssh+lpr://kiosk@host/q", "host", "host"),
    ])
    func `a zone is the resolver's, and nobody else's`(text: String, resolvable: String, authority: String) throws {
        let url = try PrinterURL(text)
        #expect(url.resolvableHost == resolvable)
        #expect(url.withoutZone.authority == authority)
    }

    @Test(arguments: [
        ("", "it has no scheme; write a URL such as ipp://192.0.2.10/ipp/print"),
        ("printer", "it has no scheme; write a URL such as ipp://192.0.2.10/ipp/print"),
        ("http://h", "its scheme \"http\" is not known; write one of ipp, ipps, ssh+lpr, lpd, socket, usb, serial"),
        ("ipp://", "it has no host; write ipp://host/…"),
        ("ipp:///ipp/print", "it has no host; write ipp://host/…"),
        (
            "ipp://h h",
            "it contains a space, a control character or a non-ASCII letter; write such characters percent-encoded, for example %20 for a space"
        ),
        (
            "ipp://h/\n",
            "it contains a space, a control character or a non-ASCII letter; write such characters percent-encoded, for example %20 for a space"
        ),
        (
            "ipp://drücker/",
            "it contains a space, a control character or a non-ASCII letter; write such characters percent-encoded, for example %20 for a space"
        ),
        ("ipp://h;x/", "\"h;x\" is not a host name; write letters, digits, dots and hyphens"),
        ("ipp://h:0/", "\"0\" is not a port; write a number from 1 to 65535"),
        ("ipp://h:65536/", "\"65536\" is not a port; write a number from 1 to 65535"),
        ("ipp://h:+631/", "\"+631\" is not a port; write a number from 1 to 65535"),
        ("ipp://h:/", "\"\" is not a port; write a number from 1 to 65535"),
        ("ipp://[::1/x", "the bracket around its IPv6 address is not closed; write [address]"),
        ("ipp://[::1]x/", "\"x\" follows its IPv6 address; write [address]:port"),
        ("ipp://[]/", "\"\" is not an IPv6 address; write for example [fe80::1]"),
        ("ipp://[192.0.2.1]/", "\"192.0.2.1\" is not an IPv6 address; write for example [fe80::1]"),
        ("ipp://[fe80::12345]/", "\"fe80::12345\" is not an IPv6 address; write for example [fe80::1]"),
        ("ipp://[1:2:3:4:5:6:7:8:9:a]/", "\"1:2:3:4:5:6:7:8:9:a\" is not an IPv6 address; write for example [fe80::1]"),
        ("ipp://[fe80::1%]/", "\"fe80::1%\" is not an IPv6 address; write for example [fe80::1]"),
        ("ipp://u@h/", "it contains a user; write the URL without the user, and a name under `credentials`"),
        ("ipp://u:p@h/", "it holds a password; write the URL without the password, and a name under `credentials`"),
        (
            "ssh+lpr://u%3Ap@h/q",
            "it holds a password; write the URL without the password, and a name under `credentials`"
        ),
        ("ipp://h/x?y", "it has a query (?…); write the URL without it"),
        ("ipp://h/x#y", "it has a fragment (#…); write the URL without it"),
        ("ssh+lpr://h/q", "it names no user; write ssh+lpr://user@host/queue"),
        ("ssh+lpr://@h/q", "it names no user; write ssh+lpr://user@host/queue"),
        ("ssh+lpr://u%0A@h/q", "\"u%0A\" contains an encoded control character; write it without that character"),
        ("ssh+lpr://u%zz@h/q", "\"u%zz\" is not percent-encoded UTF-8; write %XX with two hexadecimal digits"),
        (
            "ssh+lpr://u@h",
            "it names no queue, or one that lpr does not accept; write ssh+lpr://user@host/queue, the queue in letters, digits, dots, hyphens and underscores"
        ),
        (
            "ssh+lpr://u@h/a/b",
            "it names no queue, or one that lpr does not accept; write ssh+lpr://user@host/queue, the queue in letters, digits, dots, hyphens and underscores"
        ),
        (
            "ssh+lpr://u@h/-o",
            "it names no queue, or one that lpr does not accept; write ssh+lpr://user@host/queue, the queue in letters, digits, dots, hyphens and underscores"
        ),
        (
            "ssh+lpr://u@h/$(id)",
            "it names no queue, or one that lpr does not accept; write ssh+lpr://user@host/queue, the queue in letters, digits, dots, hyphens and underscores"
        ),
        ("lpd://u@h/raw", "an lpd URL has no user; write lpd://host/queue"),
        (
            "lpd://h",
            "it names no queue, or one that has other characters; write lpd://host/queue, the queue in letters, digits, dots, hyphens and underscores"
        ),
        (
            "lpd://h/a/b",
            "it names no queue, or one that has other characters; write lpd://host/queue, the queue in letters, digits, dots, hyphens and underscores"
        ),
        (
            "lpd://h/raw?format=o",
            "its option \"format=o\" is not supported; write the URL without it; lpd URLs take format=l, order=data,control and reserve=none"
        ),
        (
            "lpd://h/raw?reserve=rfc1179",
            "its option \"reserve=rfc1179\" is not supported; write the URL without it; lpd URLs take format=l, order=data,control and reserve=none"
        ),
        ("socket://h/queue", "a socket URL has no path; write socket://host or socket://host:port"),
        ("socket://h?baud=9600", "its option \"baud\" is not known; write the URL without it"),
        ("serial://host/dev/ttyS0", "it names no device; write \(serialForm)"),
        ("serial:ttyS0", "it names no device; write \(serialForm)"),
        ("serial:/dev/../etc/passwd", "it names no device; write \(serialForm)"),
        ("serial:/dev/ttyS0#1", "it has a fragment (#…); write the URL without it"),
        ("serial:/dev/ttyS0?baud=9601", "its option \"baud=9601\" is not known; write \(serialOptions)"),
        ("serial:/dev/ttyS0?baud=9600+waiteof=no", "its option \"waiteof=no\" is not known; write \(serialOptions)"),
        ("serial:/dev/ttyS0?parity=mark", "its option \"parity=mark\" is not known; write \(serialOptions)"),
        ("usb://Maker", "it lacks manufacturer or model; write usb://Maker/Model?serial=S"),
        ("usb:///Model", "it lacks manufacturer or model; write usb://Maker/Model?serial=S"),
        ("usb://u@Maker/Model", "a usb URL has no user; write usb://Maker/Model?serial=S"),
        ("usb://%00/Model", "\"%00\" contains an encoded control character; write it without that character"),
        ("usb://%FF/Model", "\"%FF\" is not percent-encoded UTF-8; write %XX with two hexadecimal digits"),
    ])
    func `refuses, and says what to write instead`(text: String, message: String) {
        let error = #expect(throws: PrinterURLError.self) { try PrinterURL(text) }
        #expect(error?.description == message)
    }

    @Test func `refuses what is longer than a uri may be`() throws {
        let head = "ipp://h/"
        _ = try PrinterURL(head + String(repeating: "a", count: 1023 - head.utf8.count))
        #expect(throws: PrinterURLError.self) {
            try PrinterURL(head + String(repeating: "a", count: 1024 - head.utf8.count))
        }
    }

    @Test(arguments: [
        ("ipp://H/ipp/print", "ipp://h:631", true), ("IPPS://h:631/x", "ipps://h/x", true),
        ("ipp://h/x", "ipps://h/x", false), ("ipp://h/x", "ipp://h/X", false), ("ipp://h:632/x", "ipp://h/x", false),
        ("ssh+lpr://u@h/q", "ssh+lpr://u@H:22/q", true), ("ssh+lpr://u@h/q", "ssh+lpr://U@h/q", false),
        ("usb://A/B?serial=1", "usb://A/B?serial=2", false), ("usb://A/B", "usb://a/B", false),
        ("serial:/dev/ttyS0", "serial:///dev/ttyS0?baud=9600+stop=1", true),
        ("serial:/dev/ttyS0", "serial:/dev/ttyS1", false),
    ])
    func `is equal when it names the same printer`(left: String, right: String, isSame: Bool) throws {
        #expect((try PrinterURL(left) == PrinterURL(right)) == isSame)
        if isSame { #expect(try PrinterURL(left).hashValue == PrinterURL(right).hashValue) }
    }

    @Test func `gives its parts`() throws {
        let remote = try PrinterURL("ssh+lpr://a%40b@h/q.1")
        #expect(remote.user == "a@b")
        #expect(remote.queue == "q.1")
        #expect(remote.effectivePort == 22)
        let local = try PrinterURL("ipp://[::1]:8631/x")
        #expect(local.host == "::1")
        #expect(local.authority == "[::1]:8631")
        #expect(try PrinterURL("ipp://h/x").effectivePort == 631)
        let usb = try PrinterURL("usb://HP%20Inc/M?serial=S")
        #expect(usb.host == "HP Inc")
        #expect(usb.query == "serial=S")
        #expect(usb.effectivePort == nil)
        let serial = try PrinterURL("serial:/dev/a%20b?baud=115200+flow=hard")
        #expect(serial.host.isEmpty && serial.devicePath == "/dev/a b" && !serial.namesAdapterByNumber)
        #expect(serial.serialSettings?.baud == 115_200 && serial.serialSettings?.flowControl == .hard)
        #expect(try PrinterURL("serial:/dev/ttyACM0").namesAdapterByNumber)
    }

    @Test func `is a string in JSON, and says there too what is wrong`() throws {
        #expect(try json(PrinterURL("IPP://H")) == "\"ipp:\\/\\/h\\/ipp\\/print\"")
        #expect(try value("\"ipp://h\"", as: PrinterURL.self) == PrinterURL("ipp://h"))
        let error = #expect(throws: DecodingError.self) { try value("\"ipp://u:p@h\"", as: PrinterURL.self) }
        #expect("\(try #require(error))".contains("it holds a password"))
        #expect(!"\(try #require(error))".contains("u:p"))
    }

    @Test func `never traps on hostile text`() {
        let letters = Array("ipsu+lrb:/@[]%?#.-0g \u{0}é".unicodeScalars)
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<24) { text.append(letters.randomElement() ?? "a") }
            for head in ["", "ipp://", "usb://", "ssh+lpr://", "serial:/"] {
                if let url = try? PrinterURL(head + String(text)) { #expect(try! PrinterURL(url.description) == url) }
            }
        }
    }
}
