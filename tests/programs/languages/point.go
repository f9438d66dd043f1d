package main

import "fmt"

type Point struct{ X int }

func (p *Point) Sum(y int) int { return p.X + y }
func (p Point) Get() int       { return p.X }
func factorial(n int) int {
	if n <= 1 {
		return 1
	}
	return n * factorial(n-1)
}
func main() {
	p := &Point{3}
	s := 0
	for i := 0; i < 5; i++ {
		s += p.Sum(i) + p.Get()
	}
	f := func(k int) int { return k + 1 }
	c := make(chan int)
	go func() { c <- f(1) }()
	s += <-c + factorial(6)
	fmt.Println(s)
}
