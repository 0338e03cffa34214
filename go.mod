module github.com/remit-project/remit

go 1.26
