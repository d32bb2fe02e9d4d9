^XA
^PW576
^LL270
^LH0,0
^MNN
^FO0,0^GFA,950,950,50,(19 rows, 818 digits)^FS
^FO0,34^GFA,1064,1064,56,(19 rows, 979 digits)^FS
^FO0,71^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,94^GFA,1080,1080,72,(15 rows, 723 digits)^FS
^FO0,124^GFA,1080,1080,72,(15 rows, 750 digits)^FS
^FO0,154^GFA,1368,1368,72,(19 rows, 753 digits)^FS
^FO0,191^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,210^GFA,1368,1368,72,(19 rows, 827 digits)^FS
^FO0,244^GFA,988,988,52,(19 rows, 849 digits)^FS
^XZ
