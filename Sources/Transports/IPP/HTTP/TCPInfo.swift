import NIOCore

/// What the kernel knows of a TCP connection: the beginning of Linux's `struct tcp_info` (linux/tcp.h), whose layout is
/// ABI. glibc's own copy ends before the byte counts.
struct TCPInfo: Sendable {
    /// `tcpi_state` and seven more.
    private var octets: InlineArray<8, UInt8>
    /// `tcpi_rto` to `tcpi_total_retrans`.
    private var counters: InlineArray<24, UInt32>
    /// `tcpi_pacing_rate` and `tcpi_max_pacing_rate`.
    private var rates: InlineArray<2, UInt64>
    /// `tcpi_bytes_acked`: bytes of ours that the other host's TCP acknowledged since the connection began. Linux 4.1
    /// and later; at least 1 on a connection that was used, since it counts the SYN. Zero means that the kernel does
    /// not say.
    private(set) var bytesAcknowledged: UInt64

    /// TCP_ESTABLISHED: neither side has closed.
    var isEstablished: Bool { octets[0] == 1 }

    /// Reads it on the channel's event loop, where the future is complete at once; nil where the channel is no TCP
    /// socket.
    static func read(_ channel: any Channel) -> TCPInfo? {
        guard let socket = channel as? any SocketOptionProvider else { return nil }
        channel.eventLoop.assertInEventLoop()
        let future: EventLoopFuture<TCPInfo> = socket.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        var info: TCPInfo?
        future.assumeIsolated().whenSuccess { info = $0 }
        return info
    }
}
