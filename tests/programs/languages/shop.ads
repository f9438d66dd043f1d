package Shop is
   type Item is record
      Price : Integer := 0;
   end record;
   procedure Buy (I : in out Item; N : Integer);
   function Factorial (N : Integer) return Integer;
   function "+" (A, B : Item) return Item;
   package Inner is
      procedure Deep;
   end Inner;
end Shop;
