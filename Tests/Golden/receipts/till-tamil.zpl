^XA
^PW576
^LL240
^LH0,0
^MNN
^FO0,4^GFA,752,752,47,(16 rows, 375 digits)^FS
^FO0,34^GFA,768,768,48,(16 rows, 373 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1152,1152,72,(16 rows, 471 digits)^FS
^FO0,124^GFA,1080,1080,72,(15 rows, 590 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1152,1152,72,(16 rows, 619 digits)^FS
^FO0,214^GFA,768,768,48,(16 rows, 492 digits)^FS
^XZ
