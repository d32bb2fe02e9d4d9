import KioskPrintModel
import KioskQueueListings

extension ShellScript {
    /// Stores standard input in a temporary file until it is complete, and prints that file, named after the delivery's
    /// id: for an `lpr` whose queue shows only file names, and for hosts whose `head` reads too far.
    ///
    /// Arguments: those of `stream`, without the last line.
    static func spool(to dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: spoolToCups
        case .lprng: spoolToLprng
        case .bsd: spoolToBSD
        }
    }

    private static let spoolToCups = spooling(.cups)
    private static let spoolToLprng = spooling(.lprng)
    private static let spoolToBSD = spooling(.bsd)

    private static func spooling(_ dialect: LprSettings.Dialect) -> ShellScript {
        ShellScript(
            """
            coded=$1; n=$2; id=$3; queue=$4; owner=$5; title=$6; shift 6;
            \(decoding)
            umask 077; folder=$(mktemp -d "${TMPDIR:-/tmp}/\(temporaryPrefix)XXXXXX")
            || exit \(RemoteStatus.cannotStore);
            clean() { cd /; rm -rf "$folder"; };
            trap clean EXIT; trap "exit \(RemoteStatus.cutOff)" HUP INT TERM; trap : PIPE;
            cd "$folder" && cat >"$id" || exit \(RemoteStatus.cannotStore);
            [ "$(($(wc -c <"$id")))" = "$n" ] || exit \(RemoteStatus.cutOff);
            \(handing("$id", to: dialect))
            echo \(responseMarker); \(dialect.lpq) 2>&1;
            """)
    }

    /// Prints an uploaded file once a line has arrived, so that it is known whether it may have been printed, and
    /// removes it. Arguments: those of `spool`, with the line in place of the length, and the file's name in place of
    /// the id.
    static func file(to dialect: LprSettings.Dialect) -> ShellScript {
        switch dialect {
        case .cups: fileToCups
        case .lprng: fileToLprng
        case .bsd: fileToBSD
        }
    }

    private static let fileToCups = printingFile(.cups)
    private static let fileToLprng = printingFile(.lprng)
    private static let fileToBSD = printingFile(.bsd)

    private static func printingFile(_ dialect: LprSettings.Dialect) -> ShellScript {
        ShellScript(
            """
            coded=$1; end=$2; file=$3; queue=$4; owner=$5; title=$6; shift 6;
            \(decoding)
            clean() { rm -f "$file"; };
            cd || exit \(RemoteStatus.cannotStore);
            trap clean EXIT; trap "exit \(RemoteStatus.cutOff)" HUP INT TERM; trap : PIPE;
            IFS= read -r seen && [ "$seen" = "$end" ] || exit \(RemoteStatus.cutOff);
            \(handing("$file", to: dialect))
            echo \(responseMarker); \(dialect.lpq) 2>&1;
            """)
    }

    /// Passes a file to `lpr`. BSD's exits with success even if it kept only a part of the file: when the spooler's
    /// disk is full, or the file is longer than the queue allows. Its message names the file, but for a full disk it
    /// may be any: it shows the system's last error, and a partial write sets none. The part is removed from the
    /// queue.
    private static func handing(_ file: String, to dialect: LprSettings.Dialect) -> String {
        guard dialect == .bsd else {
            return """
                \(marking)
                \(dialect.lpr) "$@" "\(file)" </dev/null || exit;
                """
        }
        return """
            \(marking)
            said=$(\(dialect.lpr) "$@" "\(file)" </dev/null 2>&1); status=$?;
            [ -z "$said" ] || printf "%s\\n" "$said" >&2;
            [ "$status" = 0 ] || exit "$status";
            case "$said" in *"\(file): "*|*"No space left"*|*"too large"*|*"quota exceeded"*|*"nput/output error"*)
            { \(dialect.removing(file)) } >/dev/null 2>&1;
            exit \(RemoteStatus.acceptedInPart);; esac;
            """
    }

    /// Converts an uploaded file to PostScript and arranges its pages; the result has the same name. Arguments: the
    /// file; `pdf` or `ps`; the pages for `psselect`; the number for `psnup`; the paper for `pdftops` and for `psnup`;
    /// a line of PostScript. All but the first two may be empty. A file that was removed meanwhile, since nobody waits
    /// for it any more, is not created again.
    static let convert = ShellScript(
        """
        file=$1; format=$2; pages=$3; count=$4; paper=$5; size=$6; setup=$7;
        fail() { status=$?; rm -f "$file" "$file".[1-4];
        [ "$status" = \(RemoteStatus.programMissing) ] && exit "$status"; exit \(RemoteStatus.cannotConvert); };
        put() { [ -e "$file" ] && mv -f "$1" "$file" || fail; };
        cd || exit \(RemoteStatus.cannotStore); umask 077; trap : PIPE;
        if [ "$format" = pdf ]; then pdftops ${paper:+-paper "$paper"} "$file" "$file.1" || fail; put "$file.1"; fi;
        if [ -n "$pages" ]; then psselect -q -p"$pages" "$file" "$file.2" || fail; put "$file.2"; fi;
        if [ -n "$count" ]; then psnup -q ${size:+-p"$size"} -"$count" "$file" "$file.3" || fail; put "$file.3"; fi;
        if [ -n "$setup" ]; then
        { IFS= read -r first; printf "%s\\n" "$first" "$setup"; cat; } <"$file" >"$file.4" || fail; put "$file.4";
        fi;
        echo \(responseMarker);
        """)

    /// Removes files that broken connections left: our own uploads and folders that are older than a day, and nothing
    /// with a similar name that belongs to people.
    static let removingStale = """
        for left in "$HOME"/\(QueuedJob.filePrefix)????????-*-*-*; do
        [ -n "$(find "$left" -prune -type f -mtime +0 2>/dev/null)" ] && rm -f "$left" 2>/dev/null;
        done;
        for left in "${TMPDIR:-/tmp}"/\(temporaryPrefix)??????; do
        [ -n "$(find "$left" -prune -type d -user "$(id -un)" -mtime +0 2>/dev/null)" ] && rm -rf "$left" 2>/dev/null;
        done;
        """

    private static let temporaryPrefix = ".kiosk-print-engine-"
}
