^XA
^PW576
^LL144
^LH0,0
^MNN
^FO0,4^GFA,585,585,39,(15 rows, 232 digits)^FS
^FO0,38^GFA,1350,1350,45,(30 rows, 519 digits)^FS
^FO0,95^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,118^GFA,912,912,48,(19 rows, 620 digits)^FS
^XZ
