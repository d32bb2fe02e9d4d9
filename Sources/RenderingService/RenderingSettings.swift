package import KioskHelperProcesses
import KioskPrintModel

/// The limits and timeouts of a rendering service, and the Unix user that `kiosk-render` runs as.
package struct RenderingSettings: Hashable, Sendable {
    /// The CPU time that each page may take. A busy machine takes longer for it, which is not the page's fault.
    package var cpuTime: Duration = .seconds(30)
    /// The time that each page may take, even if the program still makes progress.
    package var timeout: Duration = .seconds(60)
    /// The CPU time that opening a document may take.
    package var openCPUTime: Duration = .seconds(10)
    /// The CPU time that the program's start may take.
    package var startCPUTime: Duration = .seconds(10)
    /// The time without any CPU time after which the program is ended: it was stopped, or it hangs.
    package var stallTimeout: Duration = .seconds(10)
    /// Bytes that are drawn ahead of the printer.
    package var waitingBytes = 16 << 20
    /// Sides that are drawn ahead of the printer.
    package var waitingSides = 4
    /// The first delay between two attempts to start a program that waits for documents. It doubles up to the maximum.
    package var firstRestartDelay: Duration = .seconds(1)
    package var maximumRestartDelay: Duration = .seconds(30)
    /// The user that the program runs as, for which its parent must be root; nil: the parent's user.
    package var user: HelperProcess.User?

    package init() {}
}

/// The state of the rendering service, with a sentence (without its full stop) about what is wrong.
package enum RenderingCondition: Hashable, Sendable {
    case ok
    /// Nothing can be drawn, since its library is not installed.
    case withoutLibrary(String)
    /// The library that draws PDF is so old that faults in it are known to everybody.
    case oldLibrary(String)
    /// The program does not start: nothing can be drawn.
    case cannotStart(String)
}

/// The age of the library that draws PDF. Its makers mend it every few weeks, and nobody else does.
enum LibraryAge {
    private static let maximumDays = 90

    /// What to say of a library of this name and date (`2026-11-09`) at a time in seconds since 1970; nil while it is
    /// young, or nobody knows.
    static func warning(_ name: String, built: String, at now: Int) -> String? {
        guard let date = Timestamp("\(built)T00:00:00Z") else { return nil }
        let days = (now - Int(date.millisecondsSince1970 / 1_000)) / 86_400
        guard days > maximumDays else { return nil }
        return
            "\(name), which draws documents, was built \(days) days ago and may have known vulnerabilities; install a newer one"
    }
}
