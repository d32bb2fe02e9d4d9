^XA
^PW576
^LL240
^LH0,0
^MNN
^FO0,7^GFA,564,564,47,(12 rows, 333 digits)^FS
^FO0,37^GFA,663,663,51,(13 rows, 423 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,97^GFA,936,936,72,(13 rows, 293 digits)^FS
^FO0,127^GFA,936,936,72,(13 rows, 164 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,187^GFA,923,923,71,(13 rows, 277 digits)^FS
^FO0,217^GFA,611,611,47,(13 rows, 292 digits)^FS
^XZ
