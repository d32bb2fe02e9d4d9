/// Makes the fleet's streams at a hub, and finds what differs from what they should be. Nothing else makes any.
package struct HubSetup: Sendable {
    package let layout: HubLayout
    package let jetStream: JetStream

    package init(_ layout: HubLayout, at jetStream: JetStream) { (self.layout, self.jetStream) = (layout, jetStream) }

    /// One stream as it is at the hub.
    package struct Finding: Hashable, Sendable {
        package enum State: Hashable, Sendable {
            case missing
            case asWanted
            case different([StreamConfiguration.Difference])
        }
        package var wanted: StreamConfiguration
        package var state: State
    }

    /// Looks, and changes nothing.
    package func check() async throws -> [Finding] {
        var findings: [Finding] = []
        for wanted in layout.streams {
            guard let found = try await jetStream.configuration(of: wanted.name) else {
                findings.append(Finding(wanted: wanted, state: .missing))
                continue
            }
            let differences = wanted.differences(from: found)
            findings.append(Finding(wanted: wanted, state: differences.isEmpty ? .asWanted : .different(differences)))
        }
        return findings
    }

    /// Makes what is missing, and with `changesExisting` gives the others their settings. Returns what was found
    /// before. Throws the hub's refusal of the first that it refuses, such as of another storage.
    @discardableResult
    package func apply(changesExisting: Bool) async throws -> [Finding] {
        let findings = try await check()
        for finding in findings {
            switch finding.state {
            case .missing: try await jetStream.create(finding.wanted)
            case .different where changesExisting: try await jetStream.update(finding.wanted)
            case .different, .asWanted: break
            }
        }
        return findings
    }
}
