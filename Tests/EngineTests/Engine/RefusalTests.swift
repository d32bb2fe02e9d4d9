import Foundation
import KioskPrintModel
import KioskTestSupport
import Testing

@testable import KioskEngine

/// What the engine refuses, and that every refusal says what to do.
@Suite struct RefusalTests {
    private func code(
        _ change: (inout JobRequest) -> Void, text: String = "text", role: String = "receipt"
    ) async throws -> String? {
        let kiosk = try await TestKiosk()
        _ = try await kiosk.engine.contact(.test("till-1"))
        _ = try await kiosk.engine.contact(.test("till-2"))
        var refusal: String?
        do {
            _ = try await kiosk.submit(text, role: role) {
                $0.name = "sale"
                change(&$0)
            }
        } catch let error as EngineError {
            refusal = error.code.rawValue
        }
        #expect(try await kiosk.engine.jobs().isEmpty == (refusal != nil))
        try await kiosk.stop()
        return refusal
    }

    @Test func `unknown roles, and roles without printers`() async throws {
        #expect(try await code({ _ in }, role: "baggage-tag") == "unknown-role")
        #expect(try await code({ _ in }, role: "empty") == "role-without-printers")
        #expect(try await code { $0.role = nil } == "no-destination")
    }

    @Test func `unknown printers`() async throws {
        #expect(try await code { $0.printer = .test("till-9") } == "unknown-printer")
        #expect(
            try await code {
                $0.role = nil
                $0.printer = .test("till-9")
            } == "unknown-printer")
    }

    @Test func `empty documents and unknown formats`() async throws {
        #expect(try await code({ _ in }, text: "") == "empty-document")
        #expect(try await code { $0.format = .pdf } == "format-unsupported")
        #expect(try await code({ $0.format = nil }, text: "who\u{0}knows") == "format-unknown")
    }

    @Test(arguments: ["", "a\nb", "a\u{1B}[31m", String(repeating: "x", count: 2000)])
    func `names that are none`(name: String) async throws {
        #expect(try await code { $0.name = name } == "name-invalid")
    }

    @Test func `tickets out of their bounds`() async throws {
        #expect(try await code { $0.ticket.copies = 0 } == "ticket-invalid")
        #expect(try await code { $0.ticket.media = "A4 paper" } == "ticket-invalid")
    }

    @Test func `a document beyond the bound, and nothing of it stays`() async throws {
        let kiosk = try await TestKiosk(configure: {
            $0.maximumDocumentLength = 100_000
            $0.inlineDocumentLength = 1000
        })
        let intake = kiosk.engine.makeIntake()
        try await intake.append([UInt8](repeating: 65, count: 90_000))
        await #expect(throws: EngineError.self) { try await intake.append([UInt8](repeating: 65, count: 10_001)) }
        #expect(try documents(of: kiosk).isEmpty)
        try await kiosk.stop()
    }

    @Test func `a document that is dropped half-way leaves nothing`() async throws {
        let kiosk = try await TestKiosk(configure: { $0.inlineDocumentLength = 1000 })
        do {
            let intake = kiosk.engine.makeIntake()
            try await intake.append([UInt8](repeating: 65, count: 90_000))
            #expect(try documents(of: kiosk).count == 1)
        }
        try await eventually { try documents(of: kiosk).isEmpty }
        try await kiosk.stop()
    }

    private func documents(of kiosk: TestKiosk) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: kiosk.folder.path + "/state/documents")
    }
}
