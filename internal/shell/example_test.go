package shell_test

import (
	"fmt"

	"github.com/remit-project/remit/internal/shell"
)

// A line is read as the shell reads it: quotes are gone, and what only the shell
// will know is told apart.
func ExampleRead() {
	line, err := shell.Read(`curl -s "https://news.example/today" | grep $WORD > out.txt`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range line.Commands {
		for _, w := range c.Words {
			fmt.Printf("%q %t; ", w.Text, w.Kind == shell.Literal)
		}
		fmt.Println("fed:", c.Fed)
	}
	// Output:
	// "curl" true; "-s" true; "https://news.example/today" true; fed: false
	// "grep" true; "" false; fed: true
}
