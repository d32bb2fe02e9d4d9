^XA
^PW576
^LL270
^LH0,0
^MNN
^FO0,0^GFA,987,987,47,(21 rows, 547 digits)^FS
^FO0,34^GFA,1064,1064,56,(19 rows, 841 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1368,1368,72,(19 rows, 642 digits)^FS
^FO0,124^GFA,1368,1368,72,(19 rows, 970 digits)^FS
^FO0,161^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,184^GFA,1152,1152,72,(16 rows, 833 digits)^FS
^FO0,214^GFA,1296,1296,72,(18 rows, 557 digits)^FS
^FO0,244^GFA,931,931,49,(19 rows, 683 digits)^FS
^XZ
