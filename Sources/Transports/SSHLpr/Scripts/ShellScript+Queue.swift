import KioskPrintModel

extension ShellScript {
    /// Responds with the output of `lpq`. Arguments: the queue; the owner, escaped, or nothing.
    static func listing(_ dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: cupsListing
        case .lprng: lprngListing
        case .bsd: bsdListing
        }
    }

    private static let cupsListing = listing(with: .cups)
    private static let lprngListing = listing(with: .lprng)
    private static let bsdListing = listing(with: .bsd)

    private static func listing(with dialect: LprSettings.Dialect) -> ShellScript {
        ShellScript("queue=$1; owner=$(printf %b \"$2\"); echo \(responseMarker); exec \(dialect.lpq) 2>&1;")
    }

    /// Removes a job. Arguments: the queue; the owner, escaped, or nothing; the job's number.
    static func removal(_ dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: cupsRemoval
        case .lprng, .bsd: otherRemoval
        }
    }

    private static let cupsRemoval = removal(with: .cups)
    private static let otherRemoval = removal(with: .bsd)

    private static func removal(with dialect: LprSettings.Dialect) -> ShellScript {
        ShellScript("queue=$1; owner=$(printf %b \"$2\"); echo \(responseMarker); exec \(dialect.lprm) \"$3\" 2>&1;")
    }
}

extension ShellScript {
    /// Responds with the output of `lpq` and of CUPS's other programs, each after its own marker. Also removes files
    /// that broken connections left. Argument: the queue.
    static func contact(_ dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: cupsContact
        case .lprng: lprngContact
        case .bsd: bsdContact
        }
    }

    private static let cupsContact = contacting(
        .cups,
        """
        echo \(ContactResponse.Part.attributes.marker); lpoptions -p "$queue" 2>/dev/null;
        echo \(ContactResponse.Part.choices.marker); lpoptions -p "$queue" -l 2>/dev/null;
        echo \(ContactResponse.Part.status.marker); lpstat -p "$queue" 2>/dev/null;
        """)
    private static let lprngContact = contacting(.lprng, "")
    private static let bsdContact = contacting(.bsd, "")

    private static func contacting(_ dialect: LprSettings.Dialect, _ more: String) -> ShellScript {
        ShellScript(
            """
            queue=$1; owner=;
            \(removingStale)
            echo \(responseMarker); \(dialect.lpq) 2>&1; status=$?;
            [ "$status" = \(RemoteStatus.programMissing) ] && exit "$status";
            \(more)
            exit 0;
            """)
    }

    /// Runs a site's own command. Arguments: its words, escaped.
    static let quota = ShellScript(
        """
        for word do shift; set -- "$@" "$(printf %b "$word")"; done;
        echo \(responseMarker); exec "$@" 2>&1 </dev/null;
        """)
}
