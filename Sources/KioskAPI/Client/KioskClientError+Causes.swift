import Glibc
import NIOCore

extension KioskClientError {
    static func notRunning(_ socket: SocketLocation) -> KioskClientError {
        let start =
            switch socket.origin {
            case .system:
                "start it with `systemctl start kioskd`, or name its socket with --socket or $\(SocketLocation.environmentKey)"
            case .stateDirectory:
                "start it with `kioskd --state-dir \(socket.path.dropLast(SocketLocation.fileName.utf8.count + 1))`"
            case .option: "start it with `kioskd --socket \(socket.path)`, or name its real socket"
            case .environment: "start it, or correct $\(SocketLocation.environmentKey)"
            case .runtimeDirectory: "start it with `kioskd`"
            }
        return KioskClientError(
            .daemonNotRunning, message: "kioskd is not running: nothing listens at \(socket.path); \(start)",
            socket: socket
        )
    }

    static func connecting(_ error: any Error, _ socket: SocketLocation) -> KioskClientError {
        guard let code = (error as? IOError)?.errnoCode else {
            return error is ChannelError
                ? KioskClientError(
                    .timedOut, message: "kioskd does not take connections at \(socket.path); see whether it hangs",
                    socket: socket)
                : KioskClientError(
                    .socketUnusable, message: "\(socket.path) cannot be connected to: \(error)", socket: socket)
        }
        switch code {
        case ENOENT, ECONNREFUSED, ENOTDIR:
            return notRunning(socket)
        case EAGAIN:
            return KioskClientError(
                .daemonBusy, message: "kioskd at \(socket.path) has too many connections waiting; try again",
                socket: socket
            )
        case EACCES, EPERM:
            return KioskClientError(
                .permissionDenied,
                message:
                    "this user may not use kioskd's socket \(socket.path); join the group that owns it (see ls -l)",
                socket: socket
            )
        default:
            return KioskClientError(
                .socketUnusable,
                message:
                    "\(socket.path) cannot be connected to: \(String(cString: strerror(code))); check that it is kioskd's socket",
                socket: socket
            )
        }
    }

    static func tooLong(_ socket: SocketLocation) -> KioskClientError {
        KioskClientError(
            .socketUnusable,
            message:
                "the socket's path \(socket.path) has more than \(SocketLocation.maximumPathLength) bytes; use a shorter one",
            socket: socket
        )
    }

    static func lost(_ socket: SocketLocation) -> KioskClientError {
        KioskClientError(
            .connectionLost,
            message: "kioskd closed the connection before its answer was whole; it may have taken the request: "
                + "see `kioskctl jobs` before sending again",
            socket: socket
        )
    }

    static func timedOut(_ socket: SocketLocation) -> KioskClientError {
        KioskClientError(
            .timedOut, message: "kioskd at \(socket.path) did not answer in time; see whether it hangs", socket: socket
        )
    }

    static func violation(_ what: String, _ socket: SocketLocation) -> KioskClientError {
        KioskClientError(
            .protocolViolation, message: "what answers at \(socket.path) is not kioskd: \(what)", socket: socket
        )
    }

    static func tooLarge(_ limit: Int, _ socket: SocketLocation) -> KioskClientError {
        KioskClientError(
            .answerTooLarge, message: "the answer has more than \(limit) bytes; ask for less, with a limit",
            socket: socket
        )
    }

    static func refused(_ problem: Problem, _ socket: SocketLocation) -> KioskClientError {
        KioskClientError(.refused, message: problem.description, socket: socket, problem: problem)
    }
}
