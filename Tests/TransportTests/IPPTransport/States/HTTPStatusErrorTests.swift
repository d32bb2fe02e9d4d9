import NIOCore
import NIOHTTP1
import PrintModel
import Testing

@testable import IPP

@Suite struct HTTPStatusErrorTests {
    @Test(arguments: [(408, 5), (500, 5), (502, 5), (503, 0), (400, 0), (413, 0)] as [(Int, Int64)])
    func `tells how much of a document may have been taken`(status: Int, taken: Int64) throws {
        let answer = HTTPAnswer(status: .init(statusCode: status), headers: [:], body: ByteBuffer(), documentBytes: 5)
        let error = TransportError(
            answer, operation: "Print-Job", printer: try PrinterURL("ipp://office.example/ipp/print"))
        #expect(error.bytesAccepted == taken)
    }

    @Test func `sends nobody to TLS who is there`() throws {
        let answer = HTTPAnswer(status: .upgradeRequired, headers: [:], body: ByteBuffer())
        for (scheme, code) in [("ipp", TransportError.Code.tlsRequired), ("ipps", .protocolViolation)] {
            let printer = try PrinterURL("\(scheme)://office.example/ipp/print")
            #expect(TransportError(answer, operation: "Print-Job", printer: printer).code == code)
        }
    }
}
