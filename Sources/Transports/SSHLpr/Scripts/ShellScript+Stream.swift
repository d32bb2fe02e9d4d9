import KioskPrintModel

extension ShellScript {
    /// Streams standard input into `lpr`, and responds with the queue afterwards.
    ///
    /// Plain `lpr` prints what it has read when its input ends, even if it ended because the connection broke. Here
    /// `head` passes on exactly the document's length, and a last line must follow. If it does not, `lpr` is killed
    /// before its input ends: the feeder keeps the pipe open until nobody reads it any more.
    ///
    /// CUPS's `lpr` creates its job first and sends the document in HTTP chunks. `cupsd` (2.4) takes a client that ends
    /// between a chunk's bytes and its last CRLF for one that has sent everything, and prints what came: so it went with
    /// one killed `lpr` in 200. The job is therefore removed while `lpr` still waits for input, and `lpr` is killed after
    /// that. One that had not created its job yet is looked for once more when it has ended.
    ///
    /// There are three shells: the first feeds the document, the second runs `lpr`, and both report events to the
    /// third, which acts on them. None of them needs signals for that: bash loses the status of a child when it
    /// receives a signal itself (5.2). `lpr` may be a site's own script, so its whole process group is killed if the
    /// host has `setsid`.
    ///
    /// Arguments: `1` if title and owner are escaped, else `0`; the document's length; the last line; the delivery's
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

    /// The first shell.
    private static let feeding = """
        {
        trap "" HUP INT TERM; trap : PIPE;
        head -c "$n" && IFS= read -r seen && [ "$seen" = "$end" ] ||
        { echo cut >&6; while printf "\\n"; do sleep 1; done; };
        } <&3 2>/dev/null 3<&- 4>&-
        """

    /// The second shell.
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

    /// The third shell. It ends when the others have ended: nobody reads the document any more.
    private static func deciding(for dialect: LprSettings.Dialect) -> String {
        """
        {
        exec 3<&- >&4 4>&-;
        cut=; job=; late=; status=; removed=;
        finish() { kill "-$1" "-$job" || kill "-$1" "$job"; };
        remove() { \(dialect.removingCutJob) };
        stop() {
        { removed=$(remove </dev/null); finish TERM; { sleep 3; finish KILL; } & } >/dev/null 2>&1; late=$! ;
        };
        while read -r word value; do
        case "$word" in
        cut) cut=1; [ -z "$job" ] || stop;;
        job) job=$value; [ -z "$cut" ] || stop;;
        status) status=$value;;
        esac;
        done;
        if [ -n "$cut" ]; then
        { kill "$late"; [ -n "$removed" ] || remove; } >/dev/null 2>&1;
        [ "$status" = 0 ] && status=\(RemoteStatus.acceptedInPart);
        fi;
        [ "$status" = 0 ] || exit "${status:-\(RemoteStatus.unknown)}";
        echo \(responseMarker); exec \(dialect.lpq) 2>&1;
        };
        """
    }

    /// Restores escaped arguments.
    static let decoding = """
        [ "$coded" = 0 ] || { owner=$(printf %b "$owner"); title=$(printf %b "$title"); };
        """
    /// What is written after this is the output of `lpr`.
    static let marking = """
        echo \(lprMarker); echo \(lprMarker) >&2;
        """
}
