^XA
^PW576
^LL270
^LH0,0
^MNN
^FO0,1^GFA,1232,1232,56,(22 rows, 803 digits)^FS
^FO0,34^GFA,1007,1007,53,(19 rows, 810 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1152,1152,72,(16 rows, 672 digits)^FS
^FO0,124^GFA,1368,1368,72,(19 rows, 843 digits)^FS
^FO0,154^GFA,1152,1152,72,(16 rows, 475 digits)^FS
^FO0,191^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,214^GFA,1152,1152,72,(16 rows, 699 digits)^FS
^FO0,244^GFA,931,931,49,(19 rows, 693 digits)^FS
^XZ
