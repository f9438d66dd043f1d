package body Shop is
   Count : Integer := 0;
   procedure Buy (I : in out Item; N : Integer) is
      procedure Nested is
      begin
         Count := Count + 1;
      end Nested;
   begin
      Nested;
      I.Price := I.Price + N;
   end Buy;
   function Factorial (N : Integer) return Integer is
   begin
      if N <= 1 then return 1; else return N * Factorial (N - 1); end if;
   end Factorial;
   function "+" (A, B : Item) return Item is
   begin
      return (Price => A.Price + B.Price);
   end "+";
   function Over (A : Integer) return Integer is
   begin
      return A;
   end Over;
   function Over (A : Float) return Integer is
   begin
      return 2;
   end Over;
   package body Inner is
      procedure Deep is
      begin
         Count := Count + Over (1) + Over (2.0);
      end Deep;
   end Inner;
end Shop;
