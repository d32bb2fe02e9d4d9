import KioskAPI
import KioskAccess
import KioskBackup
import KioskEngine
import KioskPrintModel
import KioskPrinterRegistry
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension Problem {
    /// What a client is told of an error, whichever module it comes from.
    init(describing error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as EngineError: self.init(error)
        case let error as AccessError: self.init(error)
        case let error as BodyTooSlow:
            self.init(
                .bodyTooSlow,
                detail:
                    "the body did not come to its end within \(error.time.nanoseconds / 1_000_000_000) s; nothing was stored; send it again without pauses"
            )
        case is HTTPParserError, is ChannelError:
            self.init(
                .bodyCutOff,
                detail:
                    "the body ended before its announced length, or is not well-formed; nothing was stored; send it again"
            )
        case let error as RegistryError: self.init(error)
        case let error as BackupError: self.init(.exportRefused, detail: error.message)
        case let error as CredentialError: self.init(.storageFailed, detail: error.message)
        case is CancellationError:
            self.init(.shuttingDown, detail: "the daemon is shutting down; send the request again")
        default: self.init(.internalError, detail: "the daemon failed; its log says more")
        }
    }

    /// The problem of a header that did not end within its time.
    init(headerTooSlow time: TimeAmount) {
        self.init(
            .headerTooSlow,
            detail:
                "the header did not come to its end within \(time.nanoseconds / 1_000_000_000) s; send it again without pauses"
        )
    }

    /// The problem of bytes that are not an HTTP request; nil for other errors.
    init?(malformedRequest error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow:
            self.init(
                .headerTooLarge,
                detail: "the request's header fields are too many or too long; send fewer, and parameters in the body")
        case HTTPParserError.invalidVersion:
            self.init(.httpVersionNotSupported, detail: "the daemon speaks HTTP/1.1; send the request in this version")
        case HTTPParserError.invalidEOFState:
            self.init(.malformedRequest, detail: "the request ended before it was whole; send it again")
        case let error as HTTPParserError:
            self.init(
                .malformedRequest,
                detail: "the request is not well-formed (\(error)); send it with a program that speaks HTTP/1.1")
        case is HTTP1TypeConversionError, is ByteToMessageDecoderError:
            self.init(
                .malformedRequest, detail: "the request is not well-formed; send it with a program that speaks HTTP/1.1"
            )
        default: return nil
        }
    }

    private init(_ error: EngineError) {
        let code = Self.codes[error.code] ?? .internalError
        self.init(code, detail: error.message, problems: error.remark.map { [Finding($0)] })
        switch error.code {
        case .documentForbidden: detail = "\(error.message); \(Self.whoMayMore)"
        case .rawDocumentForbidden:
            detail =
                "\(error.message); that is for root, kioskd's own user and members of its --admin-group and its --raw-group"
        case .jobForbidden:
            detail =
                "\(error.message); operators are root, kioskd's own user and members of its --admin-group and its --operator-group"
        default: break
        }
    }

    /// A document that was only looked at.
    init(_ problem: DocumentProblem) {
        let code: Code =
            switch problem.kind {
            case .tooLarge: .documentTooLarge
            case .interrupted: .overloaded
            case .invalid, .forbidden, .unprintable: .documentInvalid
            }
        self.init(code, detail: problem.description, problems: [Finding(problem.remark)])
    }

    private static let whoMayMore =
        "that is for root, kioskd's own user and members of its --admin-group, for members of its --command-group, and the drawer for those of its --drawer-group"

    private init(_ error: RegistryError) {
        switch error.code {
        case .printerNotFound: self.init(.unknownPrinter, detail: error.message)
        case .roleNotFound: self.init(.unknownRole, detail: error.message)
        case .printerInUse: self.init(.printerInUse, detail: error.message)
        case .fileFailure: self.init(.storageFailed, detail: error.message)
        case .versionNotFound: self.init(.notFound, detail: error.message)
        case .changedMeanwhile: self.init(.changedMeanwhile, detail: error.message)
        default:
            let findings = error.problems.map { problem in
                Finding(
                    file: problem.file, line: problem.line > 0 ? problem.line : nil,
                    column: problem.column > 0 ? problem.column : nil, message: problem.message,
                    instead: problem.instead
                )
            }
            self.init(.registryRefused, detail: error.message, problems: findings.isEmpty ? nil : findings)
        }
    }

    private static let codes: [EngineError.Code: Problem.Code] = [
        .noDestination: .invalidParameter,
        .unknownRole: .unknownRole,
        .unknownPrinter: .unknownPrinter,
        .printerUnreachable: .printerUnreachable,
        .roleWithoutPrinters: .roleWithoutPrinters,
        .jobTypeUnsupported: .jobTypeNotSupported,
        .formatUnsupported: .formatNotSupported,
        .formatUnknown: .formatNotSupported,
        .emptyDocument: .emptyDocument,
        .documentTooLarge: .documentTooLarge,
        .documentInvalid: .documentInvalid,
        .pageLimitExceeded: .pageLimitExceeded,
        .documentForbidden: .notAllowed,
        .rawDocumentForbidden: .notAllowed,
        .jobForbidden: .notAllowed,
        .ticketInvalid: .invalidTicket,
        .ticketUnsupported: .ticketNotSupported,
        .identificationUnsupported: .identificationNotSupported,
        .nameInvalid: .invalidParameter,
        .idempotencyKeyInvalid: .invalidParameter,
        .idempotencyConflict: .idempotencyConflict,
        .jobNotFound: .unknownJob,
        .jobNotCancelable: .jobState,
        .jobNotHeld: .jobState,
        .jobNotReprintable: .jobState,
        .documentNotKept: .documentNotKept,
        .tooManyJobs: .tooManyRequests,
        .storageFull: .storageFull,
        .storageReadOnly: .storageReadOnly,
        .storageDamaged: .storageDamaged,
        .storageFailed: .storageFailed,
        .shuttingDown: .shuttingDown,
        .noTransport: .schemeNotSupported,
    ]
}

extension Problem.Finding {
    init(_ remark: DocumentRemark) {
        self.init(line: remark.line, column: remark.column, message: remark.message, instead: remark.instead)
    }
}
