MODULE outer ;
FROM libc IMPORT printf ;
VAR s, i : CARDINAL ;
PROCEDURE factorial (n: CARDINAL) : CARDINAL ;
BEGIN
  IF n <= 1 THEN RETURN 1 ELSE RETURN n * factorial (n - 1) END
END factorial ;
PROCEDURE around (k: CARDINAL) : CARDINAL ;
  PROCEDURE inner (j: CARDINAL) : CARDINAL ;
  BEGIN
    RETURN j + 1
  END inner ;
BEGIN
  RETURN inner (k)
END around ;
BEGIN
  s := 0 ;
  FOR i := 1 TO 5 DO
    s := s + around (i)
  END ;
  s := s + factorial (6) ;
  printf ("%d\n", s)
END outer.
