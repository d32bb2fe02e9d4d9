import Hummingbird
import ArgumentParser
print("kioskd")
