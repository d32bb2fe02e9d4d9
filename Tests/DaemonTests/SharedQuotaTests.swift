import KioskAPI
import KioskAPIMessages
import Testing

@testable import kioskd

@Suite struct SharedQuotaTests {
    private let quota = SharedQuota(
        "cups", .init(perUser: 2, users: 5, total: 7), advice: "drink one", privilegedUsers: [0, 990])

    private func caller(_ user: UInt32) -> Caller { Caller(user: user, groups: [user]) }

    private func code(_ user: UInt32, _ amount: Int = 1) -> Problem.Code? {
        do throws(Problem) {
            _ = try quota.reserve(amount, for: caller(user))
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a user has a part, all users leave one for root and the daemon's own`() throws {
        var held = try [quota.reserve(for: caller(1)), quota.reserve(for: caller(1)), quota.reserve(2, for: caller(2))]
        #expect(code(1) == .tooManyRequests)
        #expect(code(3, 2) == .overloaded)
        held.append(try quota.reserve(for: caller(3)))
        #expect(code(4) == .overloaded)
        held.append(try quota.reserve(for: caller(0)))
        held.append(try quota.reserve(for: caller(990)))
        #expect(code(0) == .overloaded)
        held.removeFirst()
        #expect(code(1) == nil)
        #expect(code(0) == nil)
        held = []
        #expect(quota.used == 0)
    }

    @Test func `root has no part of its own but the whole`() throws {
        let all = try quota.reserve(7, for: caller(0))
        #expect(code(1) == .overloaded)
        all.giveBack()
        all.giveBack()
        #expect(quota.used == 0)
    }

    @Test func `a reservation grows within the bounds, and is given back as it has become`() throws {
        let growing = try quota.reserve(0, for: caller(1))
        try growing.grow(to: 1)
        try growing.grow(to: 2)
        try growing.grow(to: 1)
        #expect(throws: Problem.self) { try growing.grow(to: 3) }
        #expect(quota.used == 2)
        growing.giveBack()
        try growing.grow(to: 2)
        #expect(quota.used == 0)
    }

    @Test(arguments: [
        ("{\"a\":[1,2,{\"b\":\"]}}[[,\\\"\"}]}", true), (String(repeating: "[", count: 33), false),
        (String(repeating: "1,", count: 20_001), false),
        ("\"" + String(repeating: "1,", count: 20_001) + "\"", true),
    ])
    func `JSON's structure is counted outside of texts`(text: String, isAccepted: Bool) {
        #expect(((try? JSONStructure.check(Array(text.utf8))) != nil) == isAccepted)
    }
}
