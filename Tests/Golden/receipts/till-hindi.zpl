^XA
^PW576
^LL240
^LH0,0
^MNN
^FO0,4^GFA,720,720,45,(16 rows, 386 digits)^FS
^FO0,34^GFA,736,736,46,(16 rows, 360 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1152,1152,72,(16 rows, 518 digits)^FS
^FO0,124^GFA,1152,1152,72,(16 rows, 532 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1152,1152,72,(16 rows, 545 digits)^FS
^FO0,214^GFA,640,640,40,(16 rows, 213 digits)^FS
^XZ
