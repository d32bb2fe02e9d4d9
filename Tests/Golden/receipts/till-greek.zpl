^XA
^PW576
^LL240
^LH0,0
^MNN
^FO0,4^GFA,855,855,45,(19 rows, 489 digits)^FS
^FO0,34^GFA,893,893,47,(19 rows, 558 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1368,1368,72,(19 rows, 724 digits)^FS
^FO0,124^GFA,1152,1152,72,(16 rows, 636 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1152,1152,72,(16 rows, 854 digits)^FS
^FO0,214^GFA,855,855,45,(19 rows, 528 digits)^FS
^XZ
