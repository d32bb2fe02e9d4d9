// What a program imports to embed the engine: queue, registry, transports and receipts in one import.
@_exported public import KioskDocumentPrinting
@_exported public import KioskEngine
@_exported public import KioskIPP
@_exported public import KioskLPD
@_exported public import KioskPrintModel
@_exported public import KioskPrinterRegistry
@_exported public import KioskReceiptPrinting
@_exported public import KioskSNMP
@_exported public import KioskSSHLpr
@_exported public import KioskSerial
@_exported public import KioskSocket
@_exported public import KioskUSB
@_exported public import Logging
