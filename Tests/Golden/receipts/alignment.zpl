^XA
^PW576
^LL450
^LH0,0
^MNN
^FO0,4^GFA,615,615,41,(15 rows, 220 digits)^FS
^FO0,34^GFA,615,615,41,(15 rows, 220 digits)^FS
^FO0,64^GFA,615,615,41,(15 rows, 220 digits)^FS
^FO0,94^GFA,90,90,6,(15 rows, 107 digits)^FS
^FO0,124^GFA,90,90,6,(15 rows, 107 digits)^FS
^FO0,154^GFA,90,90,6,(15 rows, 107 digits)^FS
^FO0,184^GFA,1368,1368,72,(19 rows, 166 digits)^FS
^FO0,214^GFA,1368,1368,72,(19 rows, 166 digits)^FS
^FO0,244^GFA,1368,1368,72,(19 rows, 166 digits)^FS
^FO0,274^GFA,1368,1368,72,(19 rows, 332 digits)^FS
^FO0,304^GFA,798,798,42,(19 rows, 348 digits)^FS
^FO0,334^GFA,885,885,59,(15 rows, 418 digits)^FS
^FO0,364^GFA,1368,1368,72,(19 rows, 564 digits)^FS
^FO0,394^GFA,1080,1080,72,(15 rows, 367 digits)^FS
^FO0,424^GFA,990,990,66,(15 rows, 287 digits)^FS
^XZ
