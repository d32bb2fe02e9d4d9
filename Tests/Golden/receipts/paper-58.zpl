^XA
^PW384
^LL492
^LH0,0
^MNN
^FO0,8^GFA,990,990,33,(30 rows, 529 digits)^FS
^FO0,58^GFA,405,405,27,(15 rows, 155 digits)^FS
^FO0,95^GFA,96,96,48,(2 rows, 4 digits)^FS
^FO0,118^GFA,912,912,48,(19 rows, 850 digits)^FS
^FO0,148^GFA,165,165,11,(15 rows, 239 digits)^FS
^FO0,178^GFA,768,768,48,(16 rows, 444 digits)^FS
^FO0,215^GFA,96,96,48,(2 rows, 4 digits)^FS
^FO0,238^GFA,768,768,48,(16 rows, 742 digits)^FS
^FO0,275^GFA,3552,3552,48,(74 rows, 1337 digits)^FS
^FO0,376^GFA,3100,3100,31,(100 rows, 696 digits)^FS
^XZ
