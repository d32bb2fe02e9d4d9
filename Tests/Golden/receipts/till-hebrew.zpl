^XA
^PW576
^LL294
^LH0,0
^MNN
^FO0,2^GFA,1848,1848,42,(44 rows, 332 digits)^FS
^FO0,55^GFA,969,969,51,(19 rows, 764 digits)^FS
^FO0,95^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,118^GFA,912,912,48,(19 rows, 626 digits)^FS
^FO0,145^GFA,1080,1080,60,(18 rows, 886 digits)^FS
^FO0,185^GFA,144,144,72,(2 rows, 4 digits)^FS
^FO0,206^GFA,816,816,48,(17 rows, 715 digits)^FS
^FO0,235^GFA,810,810,45,(18 rows, 551 digits)^FS
^FO0,265^GFA,846,846,47,(18 rows, 558 digits)^FS
^XZ
