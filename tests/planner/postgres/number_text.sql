SELECT to_char(0, 'S9999.9'), to_char(1, 'S9999.9'), to_char(-1, 'S9999.9'), to_char(100.5, 'S9999.9'), to_char(-0.5, 'S9999.9'), to_char(0.001, 'S9999.9'), to_char(99.995, 'S9999.9'), to_char(-12345.678, 'S9999.9')
: text text text text text text text text
=     +.0	   +1.0	   -1.0	 +100.5	    -.5	    +.0	 +100.0	-####.#
SELECT to_char(0, '9999.9S'), to_char(1, '9999.9S'), to_char(-1, '9999.9S'), to_char(100.5, '9999.9S'), to_char(-0.5, '9999.9S'), to_char(0.001, '9999.9S'), to_char(99.995, '9999.9S'), to_char(-12345.678, '9999.9S')
: text text text text text text text text
=     .0+	   1.0+	   1.0-	 100.5+	    .5-	    .0+	 100.0+	####.#-
SELECT to_char(0, 'S999'), to_char(1, 'S999'), to_char(-1, 'S999'), to_char(100.5, 'S999'), to_char(-0.5, 'S999'), to_char(0.001, 'S999'), to_char(99.995, 'S999'), to_char(-12345.678, 'S999')
: text text text text text text text text
=   +0	  +1	  -1	+101	  -1	  +0	+100	-###
SELECT to_char(0, '999S'), to_char(1, '999S'), to_char(-1, '999S'), to_char(100.5, '999S'), to_char(-0.5, '999S'), to_char(0.001, '999S'), to_char(99.995, '999S'), to_char(-12345.678, '999S')
: text text text text text text text text
=   0+	  1+	  1-	101+	  1-	  0+	100+	###-
SELECT to_char(0, 'FMS9990.0'), to_char(1, 'FMS9990.0'), to_char(-1, 'FMS9990.0'), to_char(100.5, 'FMS9990.0'), to_char(-0.5, 'FMS9990.0'), to_char(0.001, 'FMS9990.0'), to_char(99.995, 'FMS9990.0'), to_char(-12345.678, 'FMS9990.0')
: text text text text text text text text
= +0.0	+1.0	-1.0	+100.5	-0.5	+0.0	+100.0	-####.#
SELECT to_char(0, 'MI9999.9'), to_char(1, 'MI9999.9'), to_char(-1, 'MI9999.9'), to_char(100.5, 'MI9999.9'), to_char(-0.5, 'MI9999.9'), to_char(0.001, 'MI9999.9'), to_char(99.995, 'MI9999.9'), to_char(-12345.678, 'MI9999.9')
: text text text text text text text text
=      .0	    1.0	-   1.0	  100.5	-    .5	     .0	  100.0	-####.#
SELECT to_char(0, '9999MI'), to_char(1, '9999MI'), to_char(-1, '9999MI'), to_char(100.5, '9999MI'), to_char(-0.5, '9999MI'), to_char(0.001, '9999MI'), to_char(99.995, '9999MI'), to_char(-12345.678, '9999MI')
: text text text text text text text text
=    0 	   1 	   1-	 101 	   1-	   0 	 100 	####-
SELECT to_char(0, 'SG99.9'), to_char(1, 'SG99.9'), to_char(-1, 'SG99.9'), to_char(100.5, 'SG99.9'), to_char(-0.5, 'SG99.9'), to_char(0.001, 'SG99.9'), to_char(99.995, 'SG99.9'), to_char(-12345.678, 'SG99.9')
: text text text text text text text text
= +  .0	+ 1.0	- 1.0	+##.#	-  .5	+  .0	+##.#	-##.#
~ SG in a template of numbers is not supported
>! 0A000
SELECT to_char(0, '99SG'), to_char(1, '99SG'), to_char(-1, '99SG'), to_char(100.5, '99SG'), to_char(-0.5, '99SG'), to_char(0.001, '99SG'), to_char(99.995, '99SG'), to_char(-12345.678, '99SG')
: text text text text text text text text
=  0+	 1+	 1-	##+	 1-	 0+	##+	##-
~ SG in a template of numbers is not supported
>! 0A000
SELECT to_char(0, 'PL9999'), to_char(1, 'PL9999'), to_char(-1, 'PL9999'), to_char(100.5, 'PL9999'), to_char(-0.5, 'PL9999'), to_char(0.001, 'PL9999'), to_char(99.995, 'PL9999'), to_char(-12345.678, 'PL9999')
: text text text text text text text text
= +    0	+    1	    -1	+  101	    -1	+    0	+  100	 -####
~ PL in a template of numbers is not supported
>! 0A000
SELECT to_char(0, '9999PL'), to_char(1, '9999PL'), to_char(-1, '9999PL'), to_char(100.5, '9999PL'), to_char(-0.5, '9999PL'), to_char(0.001, '9999PL'), to_char(99.995, '9999PL'), to_char(-12345.678, '9999PL')
: text text text text text text text text
=     0+	    1+	   -1 	  101+	   -1 	    0+	  100+	-#### 
~ PL in a template of numbers is not supported
>! 0A000
SELECT to_char(0, '9,999PR'), to_char(1, '9,999PR'), to_char(-1, '9,999PR'), to_char(100.5, '9,999PR'), to_char(-0.5, '9,999PR'), to_char(0.001, '9,999PR'), to_char(99.995, '9,999PR'), to_char(-12345.678, '9,999PR')
: text text text text text text text text
=      0 	     1 	    <1>	   101 	    <1>	     0 	   100 	<#,###>
~ PR in a template of numbers is not supported
>! 0A000
SELECT to_char(0, 'FM999PR'), to_char(1, 'FM999PR'), to_char(-1, 'FM999PR'), to_char(100.5, 'FM999PR'), to_char(-0.5, 'FM999PR'), to_char(0.001, 'FM999PR'), to_char(99.995, 'FM999PR'), to_char(-12345.678, 'FM999PR')
: text text text text text text text text
= 0	1	<1>	101	<1>	0	100	<###>
~ PR in a template of numbers is not supported
>! 0A000
SELECT to_char(0, '0000.0'), to_char(1, '0000.0'), to_char(-1, '0000.0'), to_char(100.5, '0000.0'), to_char(-0.5, '0000.0'), to_char(0.001, '0000.0'), to_char(99.995, '0000.0'), to_char(-12345.678, '0000.0')
: text text text text text text text text
=  0000.0	 0001.0	-0001.0	 0100.5	-0000.5	 0000.0	 0100.0	-####.#
SELECT to_char(0, 'FM0999.90'), to_char(1, 'FM0999.90'), to_char(-1, 'FM0999.90'), to_char(100.5, 'FM0999.90'), to_char(-0.5, 'FM0999.90'), to_char(0.001, 'FM0999.90'), to_char(99.995, 'FM0999.90'), to_char(-12345.678, 'FM0999.90')
: text text text text text text text text
= 0000.00	0001.00	-0001.00	0100.50	-0000.50	0000.00	0100.00	-####.##
SELECT to_char(0, 'FM9.99'), to_char(1, 'FM9.99'), to_char(-1, 'FM9.99'), to_char(100.5, 'FM9.99'), to_char(-0.5, 'FM9.99'), to_char(0.001, 'FM9.99'), to_char(99.995, 'FM9.99'), to_char(-12345.678, 'FM9.99')
: text text text text text text text text
= 0.	1.	-1.	#.##	-.5	0.	#.##	-#.##
SELECT to_char(0, '.99'), to_char(1, '.99'), to_char(-1, '.99'), to_char(100.5, '.99'), to_char(-0.5, '.99'), to_char(0.001, '.99'), to_char(99.995, '.99'), to_char(-12345.678, '.99')
: text text text text text text text text
=  .##	 .##	-.##	 .##	-.##	 .##	 .##	-.##
SELECT to_char(0, 'S.99'), to_char(1, 'S.99'), to_char(-1, 'S.99'), to_char(100.5, 'S.99'), to_char(-0.5, 'S.99'), to_char(0.001, 'S.99'), to_char(99.995, 'S.99'), to_char(-12345.678, 'S.99')
: text text text text text text text text
= .##+	.##+	.##-	.##+	.##-	.##+	.##+	.##-
SELECT to_char(0, '99.'), to_char(1, '99.'), to_char(-1, '99.'), to_char(100.5, '99.'), to_char(-0.5, '99.'), to_char(0.001, '99.'), to_char(99.995, '99.'), to_char(-12345.678, '99.')
: text text text text text text text text
=   0	  1	 -1	 ##.	 -1	  0	 ##.	-##.
SELECT to_char(0, 'FM99.'), to_char(1, 'FM99.'), to_char(-1, 'FM99.'), to_char(100.5, 'FM99.'), to_char(-0.5, 'FM99.'), to_char(0.001, 'FM99.'), to_char(99.995, 'FM99.'), to_char(-12345.678, 'FM99.')
: text text text text text text text text
= 0	1	-1	##.	-1	0	##.	-##.
SELECT to_char(0, 'L9,999.99'), to_char(1, 'L9,999.99'), to_char(-1, 'L9,999.99'), to_char(100.5, 'L9,999.99'), to_char(-0.5, 'L9,999.99'), to_char(0.001, 'L9,999.99'), to_char(99.995, 'L9,999.99'), to_char(-12345.678, 'L9,999.99')
: text text text text text text text text
=        .00	      1.00	     -1.00	    100.50	      -.50	       .00	    100.00	 -#,###.##
SELECT to_char(0, '$9G999D99'), to_char(1, '$9G999D99'), to_char(-1, '$9G999D99'), to_char(100.5, '$9G999D99'), to_char(-0.5, '$9G999D99'), to_char(0.001, '$9G999D99'), to_char(99.995, '$9G999D99'), to_char(-12345.678, '$9G999D99')
: text text text text text text text text
SELECT to_char(0, '999TH'), to_char(1, '999TH'), to_char(-1, '999TH'), to_char(100.5, '999TH'), to_char(-0.5, '999TH'), to_char(0.001, '999TH'), to_char(99.995, '999TH'), to_char(-12345.678, '999TH')
: text text text text text text text text
=    0TH	   1ST	  -1	 101ST	  -1	   0TH	 100TH	-###
SELECT to_char(0, 'FM9999th'), to_char(1, 'FM9999th'), to_char(-1, 'FM9999th'), to_char(100.5, 'FM9999th'), to_char(-0.5, 'FM9999th'), to_char(0.001, 'FM9999th'), to_char(99.995, 'FM9999th'), to_char(-12345.678, 'FM9999th')
: text text text text text text text text
= 0th	1st	-1	101st	-1	0th	100th	-####
SELECT to_char(0, '9,9,9'), to_char(1, '9,9,9'), to_char(-1, '9,9,9'), to_char(100.5, '9,9,9'), to_char(-0.5, '9,9,9'), to_char(0.001, '9,9,9'), to_char(99.995, '9,9,9'), to_char(-12345.678, '9,9,9')
: text text text text text text text text
=      0	     1	    -1	 1,0,1	    -1	     0	 1,0,0	-#,#,#
SELECT to_char(0, '0,999'), to_char(1, '0,999'), to_char(-1, '0,999'), to_char(100.5, '0,999'), to_char(-0.5, '0,999'), to_char(0.001, '0,999'), to_char(99.995, '0,999'), to_char(-12345.678, '0,999')
: text text text text text text text text
=  0,000	 0,001	-0,001	 0,101	-0,001	 0,000	 0,100	-#,###
SELECT to_char(0, '9V99'), to_char(1, '9V99'), to_char(-1, '9V99'), to_char(100.5, '9V99'), to_char(-0.5, '9V99'), to_char(0.001, '9V99'), to_char(99.995, '9V99'), to_char(-12345.678, '9V99')
: text text text text text text text text
=    0	 100	-100	 ###	 -50	   0	 ###	-###
~ V in a template of numbers is not supported
>! 0A000
SELECT to_char(0, 'S9V9'), to_char(1, 'S9V9'), to_char(-1, 'S9V9'), to_char(100.5, 'S9V9'), to_char(-0.5, 'S9V9'), to_char(0.001, 'S9V9'), to_char(99.995, 'S9V9'), to_char(-12345.678, 'S9V9')
: text text text text text text text text
=  +0	+10	-10	+##	 -5	 +0	+##	-##
~ V in a template of numbers is not supported
>! 0A000
SELECT to_char(0, 'V99'), to_char(1, 'V99'), to_char(-1, 'V99'), to_char(100.5, 'V99'), to_char(-0.5, 'V99'), to_char(0.001, 'V99'), to_char(99.995, 'V99'), to_char(-12345.678, 'V99')
: text text text text text text text text
=   0	 ##	-##	 ##	-50	  0	 ##	-##
~ V in a template of numbers is not supported
>! 0A000
SELECT to_char(0, '"n" 999 "x"'), to_char(1, '"n" 999 "x"'), to_char(-1, '"n" 999 "x"'), to_char(100.5, '"n" 999 "x"'), to_char(-0.5, '"n" 999 "x"'), to_char(0.001, '"n" 999 "x"'), to_char(99.995, '"n" 999 "x"'), to_char(-12345.678, '"n" 999 "x"')
: text text text text text text text text
= n    0 x	n    1 x	n   -1 x	n  101 x	n   -1 x	n    0 x	n  100 x	n -### x
SELECT to_char(0, 'B99.9'), to_char(1, 'B99.9'), to_char(-1, 'B99.9'), to_char(100.5, 'B99.9'), to_char(-0.5, 'B99.9'), to_char(0.001, 'B99.9'), to_char(99.995, 'B99.9'), to_char(-12345.678, 'B99.9')
: text text text text text text text text
=    .0	  1.0	 -1.0	 ##.#	  -.5	   .0	 ##.#	-##.#
SELECT to_char(0, 'FMRN'), to_char(1, 'FMRN'), to_char(-1, 'FMRN'), to_char(100.5, 'FMRN'), to_char(-0.5, 'FMRN'), to_char(0.001, 'FMRN'), to_char(99.995, 'FMRN'), to_char(-12345.678, 'FMRN')
: text text text text text text text text
= ###############	I	###############	CI	###############	###############	C	###############
~ RN in a template of numbers is not supported
>! 0A000
SELECT to_char(0, 'RN'), to_char(1, 'RN'), to_char(-1, 'RN'), to_char(100.5, 'RN'), to_char(-0.5, 'RN'), to_char(0.001, 'RN'), to_char(99.995, 'RN'), to_char(-12345.678, 'RN')
: text text text text text text text text
= ###############	              I	###############	             CI	###############	###############	              C	###############
~ RN in a template of numbers is not supported
>! 0A000
SELECT to_char(0, '9990.0999'), to_char(1, '9990.0999'), to_char(-1, '9990.0999'), to_char(100.5, '9990.0999'), to_char(-0.5, '9990.0999'), to_char(0.001, '9990.0999'), to_char(99.995, '9990.0999'), to_char(-12345.678, '9990.0999')
: text text text text text text text text
=     0.0000	    1.0000	   -1.0000	  100.5000	   -0.5000	    0.0010	   99.9950	-####.####
SELECT to_char(0, 'FM999.0099'), to_char(1, 'FM999.0099'), to_char(-1, 'FM999.0099'), to_char(100.5, 'FM999.0099'), to_char(-0.5, 'FM999.0099'), to_char(0.001, 'FM999.0099'), to_char(99.995, 'FM999.0099'), to_char(-12345.678, 'FM999.0099')
: text text text text text text text text
= .00	1.00	-1.00	100.50	-.50	.001	99.995	-###.####
SELECT to_char(0, 'S99S'), to_char(1, 'S99S'), to_char(-1, 'S99S'), to_char(100.5, 'S99S'), to_char(-0.5, 'S99S'), to_char(0.001, 'S99S'), to_char(99.995, 'S99S'), to_char(-12345.678, 'S99S')
! 42601
SELECT to_char(0, 'S99MI'), to_char(1, 'S99MI'), to_char(-1, 'S99MI'), to_char(100.5, 'S99MI'), to_char(-0.5, 'S99MI'), to_char(0.001, 'S99MI'), to_char(99.995, 'S99MI'), to_char(-12345.678, 'S99MI')
! 42601
SELECT to_char(0, 'PR9'), to_char(1, 'PR9'), to_char(-1, 'PR9'), to_char(100.5, 'PR9'), to_char(-0.5, 'PR9'), to_char(0.001, 'PR9'), to_char(99.995, 'PR9'), to_char(-12345.678, 'PR9')
! 42601
~ PR in a template of numbers is not supported
>! 0A000
SELECT to_char(0, '9.9.9'), to_char(1, '9.9.9'), to_char(-1, '9.9.9'), to_char(100.5, '9.9.9'), to_char(-0.5, '9.9.9'), to_char(0.001, '9.9.9'), to_char(99.995, '9.9.9'), to_char(-12345.678, '9.9.9')
! 42601
SELECT to_char(0, '9V9.9'), to_char(1, '9V9.9'), to_char(-1, '9V9.9'), to_char(100.5, '9V9.9'), to_char(-0.5, '9V9.9'), to_char(0.001, '9V9.9'), to_char(99.995, '9V9.9'), to_char(-12345.678, '9V9.9')
! 42601
~ V in a template of numbers is not supported
>! 0A000
SELECT to_char(0,'S999'), to_char(12,'S999'), to_char(-12,'S999'), to_char(1234,'S999'), to_char(0.5::numeric,'S9.9'), to_char(12,'S0999'), to_char(12,'999S'), to_char(-12, 'S9,999')
: text text text text text text text text
=   +0	 +12	 -12	+###	 +.5	+0012	 12+	   -12
select v::varchar, v::text, v || 'x', concat(v), array[v]::text, row(v)::text, to_json(v), to_jsonb(v), json_agg(v), quote_literal(v), to_char(v, '0.9') from (values (0.5), (-0.25)) t(v) group by v order by v
! 42702
select array_to_string(array[0.5, null], ','), array[0.5]::varchar[], quote_nullable(-0.5), 0.5::name, jsonb_build_array(0.5), 0.00001::text, length(0.5::text), (0.5)::text = '0.5', 0.5::numeric(2,2)::text, cast(0.5 as varchar(3)), '0.5'::jsonb::numeric::text, (array[0.5])[1]::text
: text character_varying[] text name jsonb text integer boolean text character_varying text text
= 0.5	{0.5}	'-0.5'	0.5	[0.5]	0.00001	3	t	0.50	0.5	0.5	0.5
select t.v::text, t::text, t from (values (0.5::numeric(1,1))) t(v)
: text text record
= 0.5	(0.5)	(0.5)
select row_to_json(t) from (values (0.5::numeric(1,1))) t(v)
: json
= {"v":0.5}
