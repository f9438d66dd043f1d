// Rust of every kind, compiled without fisql: traits, closures, generics, iterators, panics that are caught, threads.
use std::collections::BTreeMap;
use std::fmt;
use std::panic;
use std::thread;

trait Shape {
    fn area(&self) -> u64;
    fn name(&self) -> String {
        String::from("shape")
    }
}
struct Square(u64);
struct Circle(u64);
impl Shape for Square {
    #[inline(never)]
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}
impl Shape for Circle {
    #[inline(never)]
    fn area(&self) -> u64 {
        self.0 * self.0 * 3
    }
    #[inline(never)]
    fn name(&self) -> String {
        format!("circle {}", self.0)
    }
}
struct Dropped(u64);
impl Drop for Dropped {
    #[inline(never)]
    fn drop(&mut self) {
        println!("dropped {}", self.0);
    }
}
impl fmt::Display for Square {
    #[inline(never)]
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "[{}]", self.0)
    }
}

#[inline(never)]
fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}
#[inline(never)]
fn largest<T: PartialOrd + Copy>(items: &[T]) -> T {
    let mut best = items[0];
    for &item in items {
        if item > best {
            best = item;
        }
    }
    best
}
#[inline(never)]
fn apply<F: Fn(u64) -> u64>(f: F, n: u64) -> u64 {
    f(n) + f(n + 1)
}
#[inline(never)]
fn boxed(f: &dyn Fn(u64) -> u64, n: u64) -> u64 {
    f(n) * 2
}
#[inline(never)]
fn panics(n: u64) -> u64 {
    let _kept = Dropped(n);
    if n % 3 == 0 {
        panic!("three divides {}", n);
    }
    n
}
#[inline(never)]
fn checked(n: u64) -> Result<u64, String> {
    if n > 5 { Err(format!("{} is too large", n)) } else { Ok(n) }
}
#[inline(never)]
fn question(n: u64) -> Result<u64, String> {
    Ok(checked(n)? + checked(n + 1)?)
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(3)), Box::new(Circle(4)), Box::new(Square(5))];
    let mut sum = 0u64;
    for _ in 0..5 {
        for shape in &shapes {
            sum += shape.area() + shape.name().len() as u64;
        }
    }
    sum += fib(15);
    sum += largest(&[3u64, 9, 2]) + largest(&[1.5f64, 0.5]) as u64;
    sum += apply(|n| n * sum, 3) + boxed(&|n| n + 7, 3);
    let mut words: Vec<String> = (0..50).map(|i| format!("word {}", i * 7919 % 53)).collect();
    words.sort_by(|a, b| b.cmp(a));
    let mut map = BTreeMap::new();
    for word in &words {
        *map.entry(word.len()).or_insert(0) += 1;
    }
    for n in 0..7 {
        match panic::catch_unwind(|| panics(n)) {
            Ok(value) => sum += value,
            Err(error) => sum += error.downcast_ref::<String>().unwrap().len() as u64,
        }
        match question(n) {
            Ok(value) => sum += value,
            Err(text) => sum += text.len() as u64,
        }
    }
    let threads: Vec<_> = (0..4u64).map(|i| thread::spawn(move || fib(i + 5))).collect();
    for thread in threads {
        sum += thread.join().unwrap();
    }
    let failed = thread::spawn(|| panics(9)).join().is_err();
    println!("{} {:?} {} {} {}", sum, map, words[7], failed, Square(3));
    std::process::exit((sum % 50) as i32);
}
