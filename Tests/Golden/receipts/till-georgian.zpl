^XA
^PW576
^LL240
^LH0,0
^MNN
^FO0,8^GFA,564,564,47,(12 rows, 421 digits)^FS
^FO0,34^GFA,816,816,51,(16 rows, 598 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1152,1152,72,(16 rows, 486 digits)^FS
^FO0,124^GFA,1152,1152,72,(16 rows, 440 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1152,1152,72,(16 rows, 487 digits)^FS
^FO0,214^GFA,672,672,42,(16 rows, 280 digits)^FS
^XZ
