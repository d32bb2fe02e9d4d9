^XA
^PW576
^LL294
^LH0,0
^MNN
^FO0,14^GFA,1144,1144,44,(26 rows, 295 digits)^FS
^FO0,58^GFA,864,864,54,(16 rows, 587 digits)^FS
^FO0,95^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,118^GFA,816,816,51,(16 rows, 411 digits)^FS
^FO0,148^GFA,896,896,56,(16 rows, 438 digits)^FS
^FO0,185^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,208^GFA,896,896,56,(16 rows, 567 digits)^FS
^FO0,238^GFA,944,944,59,(16 rows, 729 digits)^FS
^FO0,271^GFA,585,585,45,(13 rows, 320 digits)^FS
^XZ
