import Testing
import USB

@Suite struct USBPortTests {
    @Test func `a port is named as Linux names it`() {
        #expect(USBPort(bus: 1, ports: [2, 4]).description == "1-2.4")
        #expect(USBPort(bus: 3, ports: [1]).description == "3-1")
    }
}
