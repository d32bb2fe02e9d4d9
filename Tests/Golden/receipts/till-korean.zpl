^XA
^PW576
^LL264
^LH0,0
^MNN
^FO0,10^GFA,1176,1176,42,(28 rows, 254 digits)^FS
^FO0,58^GFA,750,750,50,(15 rows, 470 digits)^FS
^FO0,95^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,118^GFA,1152,1152,72,(16 rows, 445 digits)^FS
^FO0,148^GFA,1152,1152,72,(16 rows, 682 digits)^FS
^FO0,185^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,208^GFA,1136,1136,71,(16 rows, 698 digits)^FS
^FO0,239^GFA,602,602,43,(14 rows, 321 digits)^FS
^XZ
