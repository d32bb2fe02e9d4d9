import KioskPrintModel

extension LprSettings.Dialect {
    /// The beginning of the `lpr` command, with the shell variables `queue`, `owner` and `title`.
    var lpr: String {
        switch self {
        case .cups: #"lpr -P "$queue" ${owner:+-U "$owner"} -T "$title""#
        // In LPRng only root may name the owner, and BSD's -U means something else; -J is the title in both.
        case .lprng, .bsd: #"lpr -P "$queue" -J "$title""#
        }
    }

    /// The `lpq` command. CUPS hides the titles of other users' jobs; only LPRng's long format has whole titles.
    var lpq: String {
        switch self {
        case .cups: #"lpq -P "$queue" ${owner:+-U "$owner"}"#
        case .lprng: #"lpq -v -P "$queue""#
        case .bsd: #"lpq -P "$queue""#
        }
    }

    /// The beginning of the `lprm` command.
    var lprm: String {
        switch self {
        case .cups: #"lprm -P "$queue" ${owner:+-U "$owner"}"#
        case .lprng, .bsd: #"lprm -P "$queue""#
        }
    }

    /// Statements that remove the jobs whose title or file name begins with a word, and write the numbers of those that
    /// they removed. The job's number precedes it.
    ///
    /// Callers choose titles and owners. In CUPS's rows the first sixteen octets are rank and owner; the number and the
    /// beginning of the title follow. The rows of the others show the names of our own files.
    func removing(_ word: String) -> String {
        let numbering =
            switch self {
            case .cups:
                #"""
                rest=${row#????????????????}; number=${rest%%$other}; rest=${rest#"$number"};
                case "${rest#"${rest%%[! ]*}"}" in "\#(word) "*);; *) continue;; esac;
                """#
            case .lprng, .bsd:
                #"""
                case "$row" in *" \#(word) "*);; *) continue;; esac;
                number=; for part in ${row%% "\#(word)" *}; do number=$part; done;
                """#
            }
        // tcsh would expand the `!` of a negated set as history, even in quotes.
        return """
            other=$(printf "[\\0410-9]*"); \(lpq) | { set -f; while IFS= read -r row; do
            \(numbering)
            case "$number" in ""|*$other);; *) \(lprm) "$number" </dev/null >/dev/null && echo "$number";; esac;
            done; };
            """
    }

    /// Statements that remove a job whose document was cut off, and write its number. CUPS creates a job before its
    /// document arrives, and keeps it for a quarter of an hour without one.
    var removingCutJob: String {
        guard self == .cups else { return ":;" }
        return removing("$id")
    }
}
