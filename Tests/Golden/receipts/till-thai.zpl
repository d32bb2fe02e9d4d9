^XA
^PW576
^LL240
^LH0,0
^MNN
^FO0,4^GFA,630,630,45,(14 rows, 372 digits)^FS
^FO0,37^GFA,624,624,48,(13 rows, 429 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1080,1080,72,(15 rows, 449 digits)^FS
^FO0,124^GFA,1152,1152,72,(16 rows, 702 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1080,1080,72,(15 rows, 598 digits)^FS
^FO0,214^GFA,640,640,40,(16 rows, 193 digits)^FS
^XZ
