import PrintModel

extension ShellScript {
    /// Sends its standard input to `lpr` while it comes, and answers with the queue as it is then.
    ///
    /// Plain `lpr` prints what it has read when its input ends, also where it ends because the connection broke. Here
    /// `head` passes on the document's length and no more, and a last line has to follow it. Where it does not, `lpr`
    /// is ended before its input is: whoever feeds it keeps the pipe open until nobody reads it any more. What `lpr`
    /// had announced to its spooler by then is taken back.
    ///
    /// Three shells: the first feeds, the second runs `lpr`, and both tell the third what happens, which acts on it.
    /// None of them needs signals for that: bash forgets the status of what ended when a signal of its own came (5.2).
    /// `lpr` may be a site's own script, so it is ended with its whole process group, where the host has `setsid`.
    ///
    /// Arguments: `1` where title and owner are coded, else `0`; the document's length; the last line; the delivery's
    /// id; the queue; the owner, or nothing; the title; then `lpr`'s options.
    static func stream(to dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: streamToCups
        case .lprng, .bsd: streamToOthers
        }
    }

    private static let streamToCups = streaming(.cups)
    private static let streamToOthers = streaming(.lprng)

    private static func streaming(_ dialect: LprSettings.Dialect) -> ShellScript {
        ShellScript(
            """
            coded=$1; n=$2; end=$3; id=$4; queue=$5; owner=$6; title=$7; shift 7;
            \(decoding)
            \(marking)
            apart=; command -v setsid >/dev/null 2>&1 && apart=setsid;
            trap : PIPE; exec 3<&0 4>&1 </dev/null;
            { \(feeding) | \(taking(with: dialect)) } 6>&1 | \(deciding(for: dialect))
            """)
    }

    private static let feeding = """
        {
        trap "" HUP INT TERM; trap : PIPE;
        head -c "$n" && IFS= read -r seen && [ "$seen" = "$end" ] ||
        { echo cut >&6; while printf "\\n"; do sleep 1; done; };
        } <&3 2>/dev/null 3<&- 4>&-
        """

    private static func taking(with dialect: LprSettings.Dialect) -> String {
        """
        {
        exec 5<&0 </dev/null;
        $apart \(dialect.lpr) "$@" <&5 >&4 3<&- 4>&- 5<&- 6>&- &
        job=$! ; echo "job $job" >&6;
        exec 3<&- 4>&- 5<&-;
        wait "$job"; echo "status $?" >&6;
        };
        """
    }

    /// Comes to its end when the others have: nobody reads the document any more.
    private static func deciding(for dialect: LprSettings.Dialect) -> String {
        """
        {
        exec 3<&- >&4 4>&-;
        cut=; job=; late=; status=;
        finish() { kill "-$1" "-$job" || kill "-$1" "$job"; };
        stop() { { finish TERM; { sleep 3; finish KILL; } & } >/dev/null 2>&1; late=$! ; };
        while read -r word value; do
        case "$word" in
        cut) cut=1; [ -z "$job" ] || stop;;
        job) job=$value; [ -z "$cut" ] || stop;;
        status) status=$value;;
        esac;
        done;
        if [ -n "$cut" ]; then
        { kill "$late"; \(dialect.takingBack) } >/dev/null 2>&1;
        [ "$status" = 0 ] && status=\(RemoteStatus.takenInPart);
        fi;
        [ "$status" = 0 ] || exit "${status:-\(RemoteStatus.unknown)}";
        echo \(answerMark); exec \(dialect.lpq) 2>&1;
        };
        """
    }

    static let decoding = """
        [ "$coded" = 0 ] || { owner=$(printf %b "$owner"); title=$(printf %b "$title"); };
        """
    /// From here on, what is said is `lpr`'s.
    static let marking = """
        echo \(lprMark); echo \(lprMark) >&2;
        """
}

/// What our scripts exit with beside the statuses of the programs in them (sysexits.h).
enum RemoteStatus {
    /// The document did not come whole; nothing is printed. EX_TEMPFAIL.
    static let cutOff: Int32 = 75
    /// `lpr` said that all is well and had not read or kept all: what it has may print. EX_PROTOCOL.
    static let takenInPart: Int32 = 76
    /// The document could not be stored. EX_CANTCREAT.
    static let cannotStore: Int32 = 73
    /// A conversion failed. EX_DATAERR.
    static let cannotConvert: Int32 = 65
    /// The shell found no such program (POSIX XCU 2.8.2).
    static let programMissing: Int32 = 127
    /// Nobody saw how `lpr` ended: it, or the shell that ran it, was killed.
    static let unknown: Int32 = 255
}

extension LprSettings.Dialect {
    /// The beginning of `lpr`'s command, with the variables `queue`, `owner` and `title`.
    var lpr: String {
        switch self {
        case .cups: #"lpr -P "$queue" ${owner:+-U "$owner"} -T "$title""#
        // LPRng lets root alone name the owner, and BSD's -U is its own; -J is the title of both.
        case .lprng, .bsd: #"lpr -P "$queue" -J "$title""#
        }
    }

    /// CUPS hides the titles of other people's jobs; only LPRng's long form has whole titles.
    var lpq: String {
        switch self {
        case .cups: #"lpq -P "$queue" ${owner:+-U "$owner"}"#
        case .lprng: #"lpq -v -P "$queue""#
        case .bsd: #"lpq -P "$queue""#
        }
    }

    var lprm: String {
        switch self {
        case .cups: #"lprm -P "$queue" ${owner:+-U "$owner"}"#
        case .lprng, .bsd: #"lprm -P "$queue""#
        }
    }

    /// Removes the jobs whose title or file name begins with a word. The number stands before it.
    ///
    /// Titles and owners are what callers say: in CUPS's rows the first sixteen octets are rank and owner, and the
    /// number and the title's beginning follow. The others' rows show the names of our own files.
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
        // A negated set's mark would be tcsh's history, wherever it stands.
        return """
            other=$(printf "[\\0410-9]*"); \(lpq) | { set -f; while IFS= read -r row; do
            \(numbering)
            case "$number" in ""|*$other);; *) \(lprm) "$number" </dev/null;; esac; done; };
            """
    }

    /// CUPS has a job from its announcement on, and keeps it for a quarter of an hour without its document.
    fileprivate var takingBack: String {
        guard self == .cups else { return "" }
        return removing("$id")
    }
}
