import ArgumentParser

/// How kioskctl ends; `kioskctl --help` lists the codes. Those above 63 are sysexits(3)'s.
enum ExitStatus {
    static let failed = ExitCode(1)
    static let jobFailed = ExitCode(3)
    static let jobCanceled = ExitCode(4)
    static let jobUnconfirmed = ExitCode(5)
    static let jobUnsettled = ExitCode(6)
    static let unavailable = ExitCode(69)
    static let tryAgain = ExitCode(75)
    static let noPermission = ExitCode(77)
    /// 128 and the number of SIGINT, as shells count.
    static let interrupted = ExitCode(130)
}
