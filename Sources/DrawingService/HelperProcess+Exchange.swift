import DrawingMessages
import Glibc

extension HelperProcess {
    /// Why there is no reply.
    enum Trouble: Error {
        case deadline
        /// It closed its end.
        case ended
        /// It said what no drawing program says.
        case nonsense(DrawingMessageError)
    }

    /// Writes a request and reads its reply. After trouble the program is good for nothing but its end.
    func exchange(_ frame: [UInt8], until deadline: ContinuousClock.Instant) throws(Trouble) -> DrawingReply {
        var written = 0
        while written < frame.count {
            let count = frame.withUnsafeBytes { bytes in
                send(socket, bytes.baseAddress! + written, bytes.count - written, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { written += count } else { try wait(POLLOUT, until: deadline) }
        }
        let header = try read(MessageFrame.headerLength, until: deadline)
        let length: Int
        do throws(DrawingMessageError) { length = try MessageFrame.length(header) } catch { throw .nonsense(error) }
        let message = try read(length, until: deadline)
        do throws(DrawingMessageError) { return try DrawingReply(message) } catch { throw .nonsense(error) }
    }

    private func read(_ count: Int, until deadline: ContinuousClock.Instant) throws(Trouble) -> [UInt8] {
        // The room grows with what comes, whatever was announced.
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(count, 1 << 18))
        while bytes.count < count {
            let received = recv(socket, &part, min(part.count, count - bytes.count), Int32(MSG_DONTWAIT))
            guard received != 0 else { throw .ended }
            if received > 0 { bytes += part[..<received] } else { try wait(POLLIN, until: deadline) }
        }
        return bytes
    }

    /// After a call that failed: throws unless it may be tried again.
    private func wait(_ event: Int32, until deadline: ContinuousClock.Instant) throws(Trouble) {
        guard errno == EAGAIN || errno == EINTR else { throw .ended }
        let left = deadline - ContinuousClock.now
        guard left > .zero else { throw .deadline }
        var polled = pollfd(fd: socket, events: Int16(event), revents: 0)
        poll(&polled, 1, left.milliseconds)
    }
}

extension HelperProcess.Trouble {
    /// For whoever asked.
    func error(_ end: HelperProcess.End?, _ settings: DrawingSettings) -> DrawingError {
        switch self {
        case .deadline:
            DrawingError(.deadline, "it was not drawn within \(settings.deadline.components.seconds) s; make it smaller or simpler")
        case .nonsense(let error):
            DrawingError(.crashed, "the drawing program gave no proper answer (\(error)); see that it is of the same version as kioskd")
        case .ended:
            switch end {
            case .signalled(let signal)?:
                DrawingError(
                    .crashed, "the drawing program ended over it (signal \(signal)); the picture or text may be damaged, or need too much memory")
            case .exited(let status)?:
                DrawingError(.crashed, "the drawing program ended (status \(status)); its own words are in the log")
            case nil:
                DrawingError(.crashed, "the drawing program ended over it")
            }
        }
    }
}
