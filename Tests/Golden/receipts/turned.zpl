^XA
^PW576
^LL990
^LH0,0
^MNN
^FO0,4^GFA,779,779,41,(19 rows, 223 digits)^FS
^FO0,35^GFA,4368,4368,48,(91 rows, 748 digits)^FS
^FO0,137^GFA,315,315,21,(15 rows, 373 digits)^FS
^FO0,173^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,197^GFA,270,270,18,(15 rows, 295 digits)^FS
^FO0,224^GFA,1710,1710,45,(38 rows, 325 digits)^FS
^FO0,272^GFA,140,140,7,(20 rows, 52 digits)^FS
^FO0,300^GFA,84,84,7,(12 rows, 25 digits)^FS
^FO0,320^GFA,567,567,7,(81 rows, 427 digits)^FS
^FO0,416^GFA,1484,1484,7,(212 rows, 929 digits)^FS
^FO0,739^GFA,102,102,3,(34 rows, 125 digits)^FS
^FO0,787^GFA,174,174,3,(58 rows, 191 digits)^FS
^FO0,859^GFA,102,102,3,(34 rows, 99 digits)^FS
^XZ
^XA
^PW576
^LL390
^LH0,0
^MNN
^FO0,73^GFA,66,66,3,(22 rows, 80 digits)^FS
^FO0,109^GFA,210,210,3,(70 rows, 214 digits)^FS
^FO0,193^GFA,102,102,3,(34 rows, 115 digits)^FS
^FO0,245^GFA,126,126,3,(42 rows, 129 digits)^FS
^FO0,364^GFA,855,855,45,(19 rows, 429 digits)^FS
^XZ
