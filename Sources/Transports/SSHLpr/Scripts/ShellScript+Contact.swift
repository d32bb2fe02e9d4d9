import PrintModel

extension ShellScript {
    /// Answers with what `lpq` says of a queue, and CUPS's programs beside it, each behind a mark of its own; removes
    /// what broken connections left. Argument: the queue.
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
        echo \(ContactAnswer.Part.attributes.mark); lpoptions -p "$queue" 2>/dev/null;
        echo \(ContactAnswer.Part.choices.mark); lpoptions -p "$queue" -l 2>/dev/null;
        echo \(ContactAnswer.Part.status.mark); lpstat -p "$queue" 2>/dev/null;
        """)
    private static let lprngContact = contacting(.lprng, "")
    private static let bsdContact = contacting(.bsd, "")

    private static func contacting(_ dialect: LprSettings.Dialect, _ more: String) -> ShellScript {
        ShellScript(
            """
            queue=$1; owner=;
            \(removingStale)
            echo \(answerMark); \(dialect.lpq) 2>&1; status=$?; [ "$status" = \(RemoteStatus.programMissing) ] && exit "$status";
            \(more)
            exit 0;
            """)
    }

    /// Runs a site's own command. Arguments: its words, coded.
    static let quota = ShellScript(
        """
        for word do shift; set -- "$@" "$(printf %b "$word")"; done;
        echo \(answerMark); exec "$@" 2>&1 </dev/null;
        """)
}
