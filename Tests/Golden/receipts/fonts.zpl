^XA
^PW576
^LL396
^LH0,0
^MNN
^FO0,4^GFA,705,705,47,(15 rows, 444 digits)^FS
^FO0,33^GFA,792,792,72,(11 rows, 634 digits)^FS
^FO0,59^GFA,16,16,2,(8 rows, 29 digits)^FS
^FO0,83^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,106^GFA,2592,2592,72,(36 rows, 182 digits)^FS
^FO0,161^GFA,3600,3600,72,(50 rows, 216 digits)^FS
^FO0,226^GFA,1521,1521,39,(39 rows, 287 digits)^FS
^FO0,274^GFA,585,585,39,(15 rows, 138 digits)^FS
^FO0,322^GFA,585,585,39,(15 rows, 145 digits)^FS
^FO0,370^GFA,630,630,42,(15 rows, 269 digits)^FS
^XZ
