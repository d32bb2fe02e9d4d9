^XA
^PW576
^LL240
^LH0,0
^MNN
^FO0,4^GFA,704,704,44,(16 rows, 410 digits)^FS
^FO0,34^GFA,893,893,47,(19 rows, 576 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1152,1152,72,(16 rows, 697 digits)^FS
^FO0,124^GFA,1368,1368,72,(19 rows, 795 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1368,1368,72,(19 rows, 1139 digits)^FS
^FO0,214^GFA,912,912,48,(19 rows, 667 digits)^FS
^XZ
