import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

/// Each mistake with the exact words that people read.
@Suite struct RegistryProblemTests {
    struct Mistake: CustomTestStringConvertible, Sendable {
        var text: String
        var problems: [String]

        init(_ text: String, _ problems: String...) {
            self.text = text
            self.problems = problems
        }

        var testDescription: String { problems.first ?? text }
    }

    private func problems(_ text: String, profiles: ProfileLibrary? = nil) -> [String] {
        do {
            _ = try Sample.registry(text, profiles: profiles)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test(arguments: [
        Mistake(
            "- a",
            "printers.yaml:1:1: the registry must be a mapping, and is a list; write key: value lines with version, printers, roles"
        ),
        Mistake("version: 2", "printers.yaml:1:10: version 2 is not known; write version: 1"),
        Mistake(
            "version: one", "printers.yaml:1:10: version must be a whole number: \"one\"; write digits without quotes"),
        Mistake("printer: []", "printers.yaml:1:1: the registry has no key \"printer\"; write printers"),
        Mistake(
            "printers: till-1", "printers.yaml:1:11: printers must be a list, and is a single value; write [till-1]"),
        Mistake(
            "roles: [receipt]",
            "printers.yaml:1:8: roles must be a mapping, and is a list; write receipt: { printers: [till-1] }"),
    ])
    func `the file as a whole`(mistake: Mistake) {
        #expect(problems(mistake.text) == mistake.problems)
    }

    @Test(arguments: [
        Mistake(
            "  - till-1",
            "printers.yaml:2:5: a printer must be a mapping, and is a single value; write key: value lines with id, url, name, location, profile, job-types, credentials, trust, login-without-tls"
        ),
        Mistake("  - id: a", "printers.yaml:2:5: a printer lacks its url; write url: ipp://192.0.2.10/ipp/print"),
        Mistake("  - url: ipp://h", "printers.yaml:2:5: a printer lacks its id; write id: till-1"),
        Mistake(
            "  - id: Till_1\n    url: ipp://h",
            "printers.yaml:2:9: the id \"Till_1\" is not a valid name; write lower-case letters and digits in words joined by hyphens, such as till-1"
        ),
        Mistake(
            "  - id: [a]\n    url: ipp://h",
            "printers.yaml:2:9: the id must be a string, and is a list; write lower-case letters and digits in words joined by hyphens, such as till-1"
        ),
        Mistake(
            "  - id: a\n    url: ipp://h\n    nmae: Till",
            "printers.yaml:4:5: a printer has no key \"nmae\"; write name"),
        Mistake(
            "  - id: a\n    url: ipp://h\n    colour: red",
            "printers.yaml:4:5: a printer has no key \"colour\"; write one of id, url, name, location, profile, job-types, credentials, trust, login-without-tls"
        ),
        Mistake(
            "  - id: a\n    url: ipp://h\n    name:",
            "printers.yaml:4:10: the name must be a string, and is nothing; write a string, or remove the key"),
        Mistake(
            "  - id: a\n    url: ipp://h\n    name: \"\"",
            "printers.yaml:4:11: the name of \"a\" is empty; write a string, or remove the key"),
        Mistake(
            "  - id: a\n    url: ipp://h\n    location: \"a\\tb\"",
            "printers.yaml:4:15: the location of \"a\" contains a control character; write plain text in one line"),
        Mistake(
            "  - id: a\n    url: ipp://h\n    profile: ../x",
            "printers.yaml:4:14: \"../x\" is not a valid profile name; write letters, digits, dots, hyphens and underscores"
        ),
        Mistake(
            "  - id: a\n    url: ipp://h\n    credentials: hunter 2",
            "printers.yaml:4:18: the credentials of \"a\" are not a valid name; write the name of a secret that is kept elsewhere: letters, digits, dots, hyphens and underscores"
        ),
        Mistake(
            "  - id: a\n    url: ipp://h\n    job-types: receipt",
            "printers.yaml:4:16: job-types must be a list, and is a single value; write [receipt]"),
        Mistake(
            "  - id: a\n    url: ipp://h\n    job-types: []",
            "printers.yaml:4:16: the printer \"a\" has no job type; write at least one of general, document, photo, label, envelope, postcard, receipt, roll, large-format, or remove the key to believe the printer"
        ),
        Mistake(
            "  - id: a\n    url: ipp://h\n    job-types: [reciept, poster]",
            "printers.yaml:4:17: the job type is not known: \"reciept\"; write receipt",
            "printers.yaml:4:26: the job type is not known: \"poster\"; write one of general, document, photo, label, envelope, postcard, receipt, roll, large-format"
        ),
        Mistake(
            "  - id: a\n    url: ipp://h\n    job-types: [roll, roll]",
            "printers.yaml:4:23: the job type roll appears twice; write it once"),
        Mistake(
            "  - id: a\n    url: ipps://h\n    trust: anyone",
            "printers.yaml:4:12: the trust is refused: it is not a kind of trust: \"anyone\"; write system, ca:/path/to/ca.pem, known-hosts:/path/to/known_hosts, sha256:FINGERPRINT, ask or none"
        ),
        Mistake(
            "  - id: a\n    url: ipps://h\n    trust: ca:office.pem",
            "printers.yaml:4:12: the trust is refused: the CA file has no absolute path: \"ca:office.pem\"; write ca:/etc/kioskd/office-ca.pem"
        ),
        Mistake(
            "  - id: a\n    url: ipps://h\n    trust:",
            "printers.yaml:4:11: the trust must be a string, and is nothing; write system, ca:/path/to/ca.pem, known-hosts:/path/to/known_hosts, sha256:FINGERPRINT, ask or none"
        ),
        Mistake(
            "  - id: a\n    url: ipps://h\n    trust: known-hosts:hosts",
            "printers.yaml:4:12: the trust is refused: the known_hosts file has no absolute path: \"known-hosts:hosts\"; write known-hosts:/etc/kioskd/known_hosts"
        ),
        Mistake(
            "  - id: a\n    url: ipp://h\n    trust: known-hosts:/etc/hosts",
            "printers.yaml:4:12: the printer \"a\" shows a certificate over ipp, for which no known_hosts file vouches; write system, ca:/path/to/ca.pem, sha256:FINGERPRINT, ask or none"
        ),
        Mistake(
            "  - id: a\n    url: ssh+lpr://u@h/q\n    trust: ca:/etc/ca.pem",
            "printers.yaml:4:12: the printer \"a\" shows a host key over ssh+lpr, for which no CA vouches; write system, known-hosts:/path/to/known_hosts, sha256:FINGERPRINT, ask or none"
        ),
        Mistake(
            "  - id: a\n    url: ssh+lpr://u@h/q\n    login-without-tls: true",
            "printers.yaml:4:24: the printer \"a\" has no login over HTTP at ssh+lpr; write no such key"),
        Mistake(
            "  - id: a\n    url: usb://HP/X\n    trust: ask",
            "printers.yaml:4:12: the printer \"a\" shows no certificate over usb, so there is nothing to trust; write an ipps:// url, or remove the key"
        ),
        Mistake(
            "  - id: a\n    url: usb://HP/X\n    login-without-tls: true",
            "printers.yaml:4:24: the printer \"a\" has no login over HTTP at usb; write no such key"),
        Mistake(
            "  - id: a\n    url: ipp://h\n    login-without-tls: yes",
            "printers.yaml:4:24: login-without-tls must be true or false: \"yes\"; write true or false"),
        Mistake(
            "  - id: a\n    url: ipp://h\n  - id: a\n    url: ipp://i",
            "printers.yaml:4:9: the id \"a\" is taken by another printer; write another id"),
    ])
    func `a printer`(mistake: Mistake) {
        #expect(problems("printers:\n" + mistake.text) == mistake.problems)
    }

    @Test(arguments: [
        Mistake(
            "http://192.0.2.10",
            "printers.yaml:1:25: the url is refused: its scheme \"http\" is not known; write one of ipp, ipps, ssh+lpr, lpd, socket, usb, serial"
        ),
        Mistake(
            "192.0.2.10",
            "printers.yaml:1:25: the url is refused: it has no scheme; write a URL such as ipp://192.0.2.10/ipp/print"),
        Mistake(
            "ipp://a b",
            "printers.yaml:1:25: the url is refused: it contains a space, a control character or a non-ASCII letter; write such characters percent-encoded, for example %20 for a space"
        ),
        Mistake(
            "ssh+lpr://u:secret@h/q",
            "printers.yaml:1:25: the url is refused: it holds a password; write the URL without the password, and a name under `credentials`"
        ),
        Mistake("~", "printers.yaml:1:25: the url must be a string, and is nothing; write ipp://192.0.2.10/ipp/print"),
    ])
    func `a URL`(mistake: Mistake) {
        #expect(problems("printers: [{id: a, url: \(mistake.text)}]") == mistake.problems)
    }

    @Test(arguments: [
        Mistake(
            "  Receipt: { printers: [a] }",
            "printers.yaml:3:3: the role \"Receipt\" is not a valid name; write lower-case letters and digits in words joined by hyphens, such as till-1"
        ),
        Mistake("  receipt:", "printers.yaml:3:3: the role \"receipt\" is empty; write printers: [till-1] under it"),
        Mistake(
            "  receipt: a",
            "printers.yaml:3:12: a role must be a mapping, and is a single value; write key: value lines with printers, policy, job-type, defaults, unconfirmed, expires-after, page-limit, mirror, keep"
        ),
        Mistake(
            "  receipt: {}", "printers.yaml:3:3: the role \"receipt\" lacks its printers; write printers: [till-1]"),
        Mistake(
            "  receipt: { printers: a }",
            "printers.yaml:3:24: printers must be a list, and is a single value; write [a]"),
        Mistake(
            "  receipt: { printers: [a, A] }",
            "printers.yaml:3:28: the printer \"A\" is not a valid name; write lower-case letters and digits in words joined by hyphens, such as till-1"
        ),
        Mistake(
            "  receipt:\n    printers:\n      - a\n      - till-9",
            "printers.yaml:6:9: the role \"receipt\" names the printer \"till-9\", which is not saved; write till-1"),
        Mistake(
            "  receipt: { printers: [kitchen-one] }",
            "printers.yaml:3:25: the role \"receipt\" names the printer \"kitchen-one\", which is not saved; write one of a, till-1"
        ),
        Mistake(
            "  receipt: { printers: [a, a] }",
            "printers.yaml:3:28: the role \"receipt\" names the printer \"a\" twice; write it once"),
        Mistake(
            "  receipt: { printers: [a], job-type: labels }",
            "printers.yaml:3:39: the job type is not known: \"labels\"; write label"),
        Mistake(
            "  receipt: { printers: [a], job-type: [label, roll] }",
            "printers.yaml:3:39: the job type is not known, and is a list; write one of general, document, photo, label, envelope, postcard, receipt, roll, large-format"
        ),
        Mistake(
            "  receipt: { printers: [a], policy: least-bsy }",
            "printers.yaml:3:37: the policy is not known: \"least-bsy\"; write least-busy"),
        Mistake(
            "  receipt: { printers: [a], unconfirmed: repint }",
            "printers.yaml:3:42: the policy is not known: \"repint\"; write reprint"),
        Mistake(
            "  receipt: { printers: [a], expires-after: soon }",
            "printers.yaml:3:44: expires-after is not a time: \"soon\"; write seconds, or a number with its unit such as 90s, 10m, 1h or 1d"
        ),
        Mistake(
            "  receipt: { printers: [a], expires-after: 0 }",
            "printers.yaml:3:44: the role \"receipt\" cannot expire after 0 seconds; write 1 to 31536000 seconds, or a time such as 10m, 1h or 1d"
        ),
        Mistake(
            "  receipt: { printers: [a], expires-after: 9999999999999999999d }",
            "printers.yaml:3:44: expires-after is not a time: \"9999999999999999999d\"; write seconds, or a number with its unit such as 90s, 10m, 1h or 1d"
        ),
        Mistake(
            "  receipt: { printers: [a], page-limit: 0 }",
            "printers.yaml:3:41: the role \"receipt\" cannot allow 0 pages; write a number from 1 to 1000000, or remove the key"
        ),
        Mistake(
            "  receipt: { printers: [a], mirror: yes }",
            "printers.yaml:3:37: mirror must be true or false: \"yes\"; write true or false"
        ),
        Mistake(
            "  receipt: { printers: [a], mirror: true, policy: all }",
            "printers.yaml:3:37: the role \"receipt\" prints on all of its printers, and its jobs cannot be mirrored; write another policy, or remove the key"
        ),
        Mistake(
            "  receipt: { printers: [a], keep: 30d }",
            "printers.yaml:3:35: keep must be a mapping, and is a single value; write key: value lines with jobs, documents, size"
        ),
        Mistake(
            "  receipt: { printers: [a], keep: { job: 30d } }",
            "printers.yaml:3:37: keep has no key \"job\"; write jobs"),
        Mistake(
            "  receipt: { printers: [a], keep: { jobs: long } }",
            "printers.yaml:3:43: jobs is not a time: \"long\"; write seconds, or a number with its unit such as 90s, 10m, 1h or 1d"
        ),
        Mistake(
            "  receipt: { printers: [a], keep: { jobs: 5 } }",
            "printers.yaml:3:43: the role \"receipt\" cannot keep jobs for 5 seconds; write 60 to 315360000 seconds, or a time such as 1h or 30d"
        ),
        Mistake(
            "  receipt: { printers: [a], keep: { jobs: 1h, documents: 1d } }",
            "printers.yaml:3:58: the role \"receipt\" cannot keep documents longer than their jobs, which are removed after 1h; write a shorter time, or a longer one for jobs"
        ),
        Mistake(
            "  receipt: { printers: [a], keep: { size: 2 GiB } }",
            "printers.yaml:3:43: size is not a size: \"2 GiB\"; write bytes, or a number with its unit such as 500kB, 200MB or 2GB"
        ),
        Mistake(
            "  receipt: { printers: [a], keep: { size: 2TB } }",
            "printers.yaml:3:43: the role \"receipt\" cannot keep 2000000000000 bytes of documents; write 0 to keep none, up to 1TB, such as 200MB"
        ),
        Mistake(
            "  receipt: { printers: [a] }\n  receipt: { printers: [a] }",
            "printers.yaml:4:3: the key \"receipt\" appears twice in the same mapping; write it once"),
    ])
    func `a role`(mistake: Mistake) {
        let printers = "printers: [{ id: a, url: ipp://h/ipp/print }, { id: till-1, url: ipp://i/ipp/print }]\nroles:\n"
        #expect(problems(printers + mistake.text) == mistake.problems)
    }

    @Test(arguments: [
        Mistake("copies: 0", "printers.yaml:1:55: in the role \"receipt\" copies is 0; write a number from 1 to 999"),
        Mistake(
            "copies: many", "printers.yaml:1:55: copies must be a whole number: \"many\"; write digits without quotes"),
        Mistake(
            "sides: two-sided",
            "printers.yaml:1:54: sides is not known: \"two-sided\"; write two-sided-long-edge or two-sided-short-edge"),
        Mistake(
            "media: A 4",
            "printers.yaml:1:54: in the role \"receipt\" media is not a media name; write one such as iso_a4_210x297mm"),
        Mistake(
            "page-ranges: [3-1]",
            "printers.yaml:1:61: the page range is not readable: \"3-1\"; write a page such as 5, or a range such as 1-3"
        ),
        Mistake(
            "page-ranges: [4-5, 1-3]",
            "printers.yaml:1:60: in the role \"receipt\" page-ranges must ascend without overlap; write for example 1-3,5"
        ),
        Mistake(
            "cut: halfway", "printers.yaml:1:52: the cut is not known: \"halfway\"; write one of none, partial, full"),
        Mistake("drawer: yes", "printers.yaml:1:55: drawer must be true or false: \"yes\"; write true or false"),
        Mistake(
            "priority: 101", "printers.yaml:1:57: in the role \"receipt\" priority is 101; write a number from 1 to 100"
        ),
        Mistake(
            "orientation: landscape",
            "printers.yaml:1:47: a ticket has no key \"orientation\"; write orientation-requested"),
    ])
    func `a ticket's defaults`(mistake: Mistake) {
        #expect(problems("roles: { receipt: { printers: [], defaults: { \(mistake.text) } } }") == mistake.problems)
    }

    @Test(arguments: [
        Mistake(
            "printers:\n\t- id: a",
            "printers.yaml:2:1: the YAML cannot be read: found character that cannot start any token; write spaces instead of tabs"
        ),
        Mistake(
            "printers: [\n",
            "printers.yaml:2:1: the YAML cannot be read: did not find expected node content; write valid YAML here; look at the line before it too"
        ),
        Mistake(
            "a: \u{1}",
            "printers.yaml:1:4: the YAML cannot be read: control characters are not allowed; write text without control characters"
        ),
        Mistake(
            "printers: &all []\nroles: *all",
            "printers.yaml:1:11: anchors and aliases (&name, *name) are not supported; write each value itself"),
        Mistake(
            "roles: *all",
            "printers.yaml:1:8: the YAML cannot be read: found undefined alias; write valid YAML here; look at the line before it too"
        ),
        Mistake(
            "version: !!int 1", "printers.yaml:1:10: tags (!name) are not supported; write the value without its tag"),
        Mistake(
            "version: 1\n---\nversion: 1",
            "printers.yaml:2:1: the YAML cannot be read: but found another document; write valid YAML here; look at the line before it too"
        ),
        Mistake(
            "version: 1\nversion: 1",
            "printers.yaml:2:1: the key \"version\" appears twice in the same mapping; write it once"),
        Mistake(
            "{version: 1, \"version\": 1}",
            "printers.yaml:1:14: the key \"version\" appears twice in the same mapping; write it once"),
    ])
    func `YAML itself`(mistake: Mistake) {
        #expect(problems(mistake.text) == mistake.problems)
    }

    @Test func `tells every problem at once, in the file's order`() {
        let found = problems(
            """
            version: 3
            printers:
              - id: a
                id: b
                nmae: x
                url: http://x
            roles:
              receipt: { printers: [a, c], unconfirmed: maybe }
            """)
        #expect(
            found.map { $0.split(separator: " ")[0] } == [
                "printers.yaml:1:10:", "printers.yaml:4:5:", "printers.yaml:5:5:", "printers.yaml:6:10:",
                "printers.yaml:8:28:", "printers.yaml:8:45:",
            ])
    }

    @Test func `a role may name a printer that is refused for another reason`() {
        let found = problems("printers: [{ id: a, url: nonsense }]\nroles: { receipt: { printers: [a] } }")
        #expect(found.count == 1)
    }

    @Test func `an unknown profile, where the profiles are known`() {
        let library = ProfileLibrary([PrinterProfile(name: "generic-80mm", description: "d", jobTypes: [.receipt])])
        #expect(
            problems("printers: [{ id: a, url: ipp://h, profile: generic-58mm }]", profiles: library) == [
                "printers.yaml:1:44: there is no profile \"generic-58mm\"; write generic-80mm"
            ])
        #expect(problems("printers: [{ id: a, url: ipp://h, profile: generic-58mm }]") == [])
    }

    @Test func `never repeats a password that stands in a URL`() {
        #expect(problems("printers: [{ id: a, url: \"ipp://u:hunter2@h/\" }]").allSatisfy { !$0.contains("hunter2") })
    }
}
