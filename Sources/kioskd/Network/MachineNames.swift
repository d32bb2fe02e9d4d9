import Glibc
import NIOCore

/// The names and addresses under which this machine is reached, for its certificate and the check of `Host`.
struct MachineNames: Hashable, Sendable {
    /// `kiosk.example.com`, `kiosk`, `kiosk.local`; lower case.
    var names: [String]
    /// Addresses of its interfaces, in their order; none that is good on one link only.
    var addresses: [String]

    static let loopback = ["localhost", "127.0.0.1", "::1"]
    /// A machine with many containers has many addresses; a certificate need not name them all.
    private static let maximumAddresses = 16

    /// Reads them from the system. Blocks for a moment.
    static func current() -> MachineNames {
        var buffer = [CChar](repeating: 0, count: 256)
        let hostName =
            gethostname(&buffer, buffer.count - 1) == 0
            ? String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
        let devices = (try? System.enumerateDevices()) ?? []
        return MachineNames(hostName: hostName, addresses: devices.compactMap { RemoteAddress($0.address) })
    }

    init(hostName: String, addresses: [RemoteAddress]) {
        names = []
        // An address as the machine's name would be no name in a certificate.
        if let host = HostAndPort(hostName)?.host, host.utf8.count <= 64, RemoteAddress(host) == nil,
            host != "localhost"
        {
            let short = host.prefix { $0 != "." }
            names = [host, String(short), "\(short).local"]
        }
        self.addresses = addresses.filter { !$0.isLoopback && !$0.isLinkLocal }.map(\.description)
        names = Self.unique(names)
        self.addresses = Array(Self.unique(self.addresses).prefix(Self.maximumAddresses))
    }

    /// What the daemon's own certificate names, with the names that the administrator adds.
    func certificateNames(and more: [String]) -> [String] { Self.unique(names + more + Self.loopback + addresses) }

    private static func unique(_ list: [String]) -> [String] {
        var seen: Set<String> = []
        return list.filter { !$0.isEmpty && seen.insert($0).inserted }
    }
}
