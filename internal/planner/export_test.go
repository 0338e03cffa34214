package planner

import "github.com/remit-project/remit/scope"

// The parts that tests look at.
var (
	Teach        = teach
	Schema       = answerSchema
	ConditionsOf = conditions
)

// Taught returns the requests that models are taught with, and their answers.
func Taught() (requests []*scope.Request, answers [][]byte, err error) {
	all, err := readExamples()
	for i := range all {
		requests = append(requests, &all[i].Request)
		answers = append(answers, all[i].Answer)
	}
	return requests, answers, err
}

// Read reads an answer to a request.
func Read(r *scope.Request, answer []byte) (data []byte, mistakes []string, err error) {
	s, err := show(r)
	if err != nil {
		return nil, nil, err
	}
	read, err := s.read(answer)
	if err != nil {
		return nil, nil, err
	}
	return read.scope, read.mistakes, nil
}

// Show returns what a model is shown of a request, and what was left out.
func Show(r *scope.Request) (prompt string, notes []string, err error) {
	s, err := show(r)
	if err != nil {
		return "", nil, err
	}
	return s.list + s.talk, s.notes, nil
}
