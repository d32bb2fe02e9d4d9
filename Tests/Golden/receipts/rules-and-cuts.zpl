^XA
^PW576
^LL180
^LH0,0
^MNN
^FO0,4^GFA,615,615,41,(15 rows, 218 digits)^FS
^FO0,41^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,585,585,39,(15 rows, 172 digits)^FS
^FO0,131^GFA,102,102,51,(2 rows, 6 digits)^FS
^FO0,161^GFA,60,60,30,(2 rows, 3 digits)^FS
^XZ
^XA
^PW576
^LL60
^LH0,0
^MNN
^XZ
^XA
^PW576
^LL60
^LH0,0
^MNN
^FO0,11^GFA,36,36,36,(1 rows, 6 digits)^FS
^FO0,39^GFA,228,228,38,(6 rows, 24 digits)^FS
^XZ
