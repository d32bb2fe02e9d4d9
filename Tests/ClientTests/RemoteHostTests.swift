import KioskAPIMessages
import KioskPrintModel
import Testing

@Suite struct RemoteHostTests {
    @Test(arguments: [
        ("https://kiosk.local", "https://kiosk.local:8631"), ("https://Kiosk.Local:443/", "https://kiosk.local:443"),
        ("HTTPS://192.0.2.7", "https://192.0.2.7:8631"), ("https://[2001:DB8::7]:1", "https://[2001:db8::7]:1"),
        ("http://127.0.0.1", "http://127.0.0.1:8631"), ("http://[::1]:65535", "http://[::1]:65535"),
        ("http://localhost", "http://localhost:8631"),
    ]) func `reads a URL`(_ text: String, _ url: String) throws {
        #expect(try RemoteHost(text).description == url)
    }

    @Test(arguments: [
        "", "kiosk.local", "https://", "https://:8631", "https://kiosk:0", "https://kiosk:65536", "https://kiosk:",
        "https://kiosk:+1", "https://kiosk/v1", "https://kiosk?x", "https://user@kiosk", "https://kiosk#x",
        "https://ki osk", "https://kiosk\r\nX: y", "https://[::1", "https://[kiosk]", "https://[::1]x",
        "https://[fe80::1%eth0]", "ftp://kiosk", "https://-kiosk", "https://käse", "unix:///run/kioskd.sock",
        "https://\(String(repeating: "k", count: 256))", "https://\u{212A}iosk", "https://kiosk:8631:1", "https://[]",
    ]) func `refuses what is no URL of a daemon`(_ text: String) {
        #expect(throws: RemoteHostError.self) { try RemoteHost(text) }
    }

    @Test(arguments: [
        "http://192.0.2.7", "http://kiosk.local", "http://127.0.0.1.example", "http://localhost.example",
        "http://127.1",
        "http://127.999.0.0", "http://127.0.0.1.5", "http://127.0.0.",
    ])
    func `speaks to other machines over TLS alone`(_ text: String) throws {
        let error = #expect(throws: RemoteHostError.self) { try RemoteHost(text) }
        #expect(error?.instead.hasPrefix("https://") == true)
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "ä", String(repeating: "a", count: 1025)])
    func `refuses what is no token, and does not repeat it`(_ token: String) {
        let error = #expect(throws: RemoteHostError.self) { try RemoteHost("https://kiosk", token: Secret(token)) }
        if token.count > 1 { #expect(error?.description.contains(token) == false) }
    }

    @Test func `shows its token to nobody but the daemon`() throws {
        let host = try RemoteHost("https://kiosk", token: Secret("kiosk_abc123"))
        var dumped = ""
        dump(host, to: &dumped)
        #expect(!dumped.contains("abc123"))
        #expect(!"\(host)".contains("abc123"))
        let headers = DaemonAddress.host(host).requestHeaders
        #expect(headers.map(\.value) == ["Bearer kiosk_abc123"])
        #expect(DaemonAddress.host(host).hostField == "kiosk:8631")
    }
}
