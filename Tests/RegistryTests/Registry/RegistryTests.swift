import KioskPrintModel
import Testing

@testable import KioskPrinterRegistry

@Suite struct RegistryTests {
    private func registry() throws -> Registry {
        try Registry(
            printers: [Sample.printer("till-1"), Sample.printer("till-2"), Sample.printer("back-office")],
            roles: [
                Role(name: Sample.role("receipt"), printers: [Sample.id("till-2"), Sample.id("till-1")]),
                Role(name: Sample.role("document"), printers: [Sample.id("back-office")]),
                Role(name: Sample.role("kitchen"), printers: [Sample.id("till-2")]),
            ], profiles: nil)
    }

    @Test func `answers a role's printers in the role's order`() throws {
        let printers = try #require(try registry().printers(of: Sample.role("receipt")))
        #expect(printers.map(\.id.rawValue) == ["till-2", "till-1"])
        #expect(try registry().printers(of: Sample.role("label")) == nil)
    }

    @Test func `answers the roles that name a printer`() throws {
        #expect(try registry().roles(naming: Sample.id("till-2")).map(\.rawValue) == ["receipt", "kitchen"])
    }

    @Test func `saves a known printer in its place and a new one at the end`() throws {
        var printer = try Sample.printer("till-1")
        printer.name = "Front"
        let changed = try registry().saving(printer)
        #expect(changed.printers.map(\.id.rawValue) == ["till-1", "till-2", "back-office"])
        #expect(changed.printers[0].name == "Front")
        #expect(try registry().saving(Sample.printer("till-3")).printers.last?.id.rawValue == "till-3")
    }

    @Test func `refuses to remove a printer that roles name, and says which`() throws {
        let error = #expect(throws: RegistryError.self) { try registry().removing(Sample.id("till-2")) }
        #expect(error?.code == .printerInUse)
        #expect(error?.message.contains("receipt, kitchen") == true)
    }

    @Test func `removes a printer from its roles when told to`() throws {
        let changed = try registry().removing(Sample.id("till-2"), fromRoles: true)
        #expect(changed.printers.count == 2)
        #expect(changed.roles.map { $0.printers.map(\.rawValue) } == [["till-1"], ["back-office"], []])
    }

    @Test func `assigns and removes roles`() throws {
        let label = try Sample.role("label")
        let assigned = try registry().assigning(Role(name: label, printers: [Sample.id("till-1")]))
        #expect(assigned.role(label)?.jobType == .label)
        #expect(try assigned.removing(label) == registry())
    }

    @Test func `refuses what is not there, and lists what is`() throws {
        let printer = #expect(throws: RegistryError.self) { try registry().removing(Sample.id("till-9")) }
        #expect(printer?.code == .printerNotFound)
        #expect(
            printer?.message == "there is no printer \"till-9\"; the saved printers are till-1, till-2, back-office")
        let role = #expect(throws: RegistryError.self) { try Registry().removing(Sample.role("receipt")) }
        #expect(role?.code == .roleNotFound)
        #expect(role?.message == "there is no role \"receipt\"; no role is assigned yet")
    }

    @Test func `refuses values that break a rule`() throws {
        func refused(_ make: () throws -> Registry) -> String {
            (#expect(throws: RegistryError.self) { try make() })?.message ?? ""
        }
        var printer = try Sample.printer("till-1")
        printer.name = "a\u{1B}[31m"
        #expect(
            refused { try registry().saving(printer) }
                == "the name of \"till-1\" contains a control character; write plain text in one line")
        printer = try Sample.printer("till-1")
        printer.jobTypes = []
        #expect(
            refused { try registry().saving(printer) }.hasPrefix(
                "the printer \"till-1\" has no job type; write at least one of"))
        let unsaved = try Role(name: Sample.role("label"), printers: [Sample.id("till-3")])
        #expect(
            refused { try registry().assigning(unsaved) }
                == "the role \"label\" names the printer \"till-3\", which is not saved; write till-1")
        var role = try Role(name: Sample.role("label"), printers: [], jobType: [.label, .roll])
        #expect(refused { try registry().assigning(role) }.hasPrefix("the role \"label\" needs one job type"))
        role = try Role(name: Sample.role("label"), printers: [])
        role.defaults.copies = 0
        #expect(
            refused { try registry().assigning(role) }
                == "in the role \"label\" copies is 0; write a number from 1 to 999")
        #expect(
            refused { try Registry(printers: [Sample.printer("a"), Sample.printer("a")], roles: []) }
                == "the id \"a\" is taken by another printer; write another id")
    }

    @Test func `a profile's job types stand in for the printer's word and give way to the override`() throws {
        let library = ProfileLibrary([
            PrinterProfile(name: "generic-80mm", description: "d", jobTypes: [.receipt, .roll])
        ])
        var printer = try Sample.printer("a")
        printer.profile = "generic-80mm"
        let registry = try Registry(printers: [printer], roles: [], profiles: library)
        #expect(registry.profileJobTypes(of: printer) == [.receipt, .roll])
        var status = PrinterStatus(
            printer: printer, description: PrinterDescription(jobTypes: .document),
            profileJobTypes: registry.profileJobTypes(of: printer))
        #expect(status.jobTypes == [.receipt, .roll])
        status.printer.jobTypes = .label
        #expect(status.jobTypes == .label)
        status = PrinterStatus(printer: try Sample.printer("b"), description: PrinterDescription(jobTypes: .document))
        #expect(status.jobTypes == .document)
    }
}
