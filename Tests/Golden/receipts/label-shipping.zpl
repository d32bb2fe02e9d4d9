^XA
^PW384
^LL678
^LH0,0
^MNN
^FO0,4^GFA,855,855,45,(19 rows, 1089 digits)^FS
^FO0,34^GFA,315,315,21,(15 rows, 539 digits)^FS
^FO0,71^GFA,96,96,48,(2 rows, 4 digits)^FS
^FO0,94^GFA,45,45,3,(15 rows, 40 digits)^FS
^FO0,120^GFA,684,684,18,(38 rows, 418 digits)^FS
^FO0,182^GFA,760,760,20,(38 rows, 481 digits)^FS
^FO0,236^GFA,540,540,18,(30 rows, 440 digits)^FS
^FO0,282^GFA,684,684,18,(38 rows, 540 digits)^FS
^FO0,347^GFA,96,96,48,(2 rows, 4 digits)^FS
^FO0,370^GFA,6975,6975,45,(155 rows, 2001 digits)^FS
^FO0,546^GFA,3712,3712,32,(116 rows, 924 digits)^FS
^XZ
