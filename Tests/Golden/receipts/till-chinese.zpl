^XA
^PW576
^LL264
^LH0,0
^MNN
^FO0,8^GFA,1504,1504,47,(32 rows, 440 digits)^FS
^FO0,58^GFA,768,768,48,(16 rows, 659 digits)^FS
^FO0,95^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,118^GFA,1152,1152,72,(16 rows, 852 digits)^FS
^FO0,148^GFA,1152,1152,72,(16 rows, 581 digits)^FS
^FO0,185^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,208^GFA,1152,1152,72,(16 rows, 621 digits)^FS
^FO0,238^GFA,800,800,50,(16 rows, 715 digits)^FS
^XZ
