public import ArgumentParser
public import PrintModel

// Public, since a conformance of public types is.
extension Ticket.Sides: ExpressibleByArgument {}
extension Ticket.Orientation: ExpressibleByArgument {}
extension Ticket.ColorMode: ExpressibleByArgument {}
extension Ticket.Quality: ExpressibleByArgument {}
extension Ticket.Cut: ExpressibleByArgument {}
extension Role.PrinterPolicy: ExpressibleByArgument {}
extension Role.UnconfirmedPolicy: ExpressibleByArgument {}
