import ArgumentParser
print("kioskctl")
