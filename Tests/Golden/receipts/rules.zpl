^XA
^PW576
^LL630
^LH0,0
^MNN
^FO0,4^GFA,779,779,41,(19 rows, 281 digits)^FS
^FO0,41^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,64^GFA,615,615,41,(15 rows, 201 digits)^FS
^FO0,99^GFA,432,432,72,(6 rows, 10 digits)^FS
^FO0,124^GFA,585,585,39,(15 rows, 225 digits)^FS
^FO0,159^GFA,432,432,72,(6 rows, 8 digits)^FS
^FO0,184^GFA,615,615,41,(15 rows, 219 digits)^FS
^FO0,221^GFA,144,144,72,(2 rows, 145 digits)^FS
^FO0,244^GFA,615,615,41,(15 rows, 207 digits)^FS
^FO0,281^GFA,144,144,72,(2 rows, 145 digits)^FS
^FO0,304^GFA,780,780,39,(20 rows, 101 digits)^FS
^FO0,338^GFA,2160,2160,54,(40 rows, 1112 digits)^FS
^FO0,388^GFA,880,880,44,(20 rows, 322 digits)^FS
^FO0,425^GFA,13968,13968,72,(194 rows, 2343 digits)^FS
^XZ
