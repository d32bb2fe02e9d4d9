^XA
^PW144
^LL510
^LH0,0
^MNN
^FO0,8^GFA,456,456,12,(38 rows, 179 digits)^FS
^FO0,58^GFA,270,270,18,(15 rows, 399 digits)^FS
^FO0,88^GFA,120,120,8,(15 rows, 99 digits)^FS
^FO0,118^GFA,90,90,6,(15 rows, 148 digits)^FS
^FO0,155^GFA,1764,1764,18,(98 rows, 364 digits)^FS
^FO0,264^GFA,1296,1296,18,(72 rows, 105 digits)^FS
^FO0,360^GFA,2142,2142,17,(126 rows, 632 digits)^FS
^XZ
