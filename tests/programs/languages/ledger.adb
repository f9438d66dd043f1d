with Ada.Text_IO;
with Shop; use Shop;
procedure Ledger is
   type Item_Access is access Item;
   A, B : Item;
   Made : Item_Access;
   task type Worker;
   task body Worker is
   begin
      Shop.Inner.Deep;
   end Worker;
   W : Worker;
begin
   for I in 1 .. 5 loop
      Buy (A, I);
      Made := new Item;
   end loop;
   B := A + B;
   Ada.Text_IO.Put_Line (Integer'Image (Factorial (6) + B.Price + Made.Price));
end Ledger;
