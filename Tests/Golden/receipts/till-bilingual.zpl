^XA
^PW576
^LL210
^LH0,0
^MNN
^FO0,4^GFA,1152,1152,72,(16 rows, 666 digits)^FS
^FO0,41^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,64^GFA,1152,1152,72,(16 rows, 705 digits)^FS
^FO0,94^GFA,1080,1080,72,(15 rows, 506 digits)^FS
^FO0,124^GFA,1152,1152,72,(16 rows, 526 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1152,1152,72,(16 rows, 854 digits)^FS
^XZ
