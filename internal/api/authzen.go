package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/remit-project/remit"
)

// evaluation is a request in the form of AuthZEN's Authorization API 1.0: the
// action is the tool, the resource its server, and the context holds the session.
// Members are pointers because a batch may set defaults for all its evaluations.
type evaluation struct {
	Subject *struct{} `json:"subject"`
	Action  *struct {
		Name string `json:"name"`
	} `json:"action"`
	Resource *struct {
		ID string `json:"id"`
	} `json:"resource"`
	Context *struct {
		Session   string          `json:"session"`
		Call      string          `json:"call"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"context"`
}

// evaluated is the answer to one evaluation.
type evaluated struct {
	Decision bool              `json:"decision"`
	Context  evaluationContext `json:"context"`
}

type evaluationContext struct {
	Verdict     remit.Verdict   `json:"verdict"`
	Call        string          `json:"call"`
	Arguments   json.RawMessage `json:"arguments,omitempty"`
	Reasons     []remit.Reason  `json:"reasons,omitempty"`
	Explanation string          `json:"explanation,omitempty"`
}

// fillFrom fills members that e leaves out from the batch's defaults.
func (e evaluation) fillFrom(all evaluation) evaluation {
	if e.Subject == nil {
		e.Subject = all.Subject
	}
	if e.Action == nil {
		e.Action = all.Action
	}
	if e.Resource == nil {
		e.Resource = all.Resource
	}
	if e.Context == nil {
		e.Context = all.Context
	}
	return e
}

func (s *Server) evaluate(ctx context.Context, r *request) (reply, error) {
	var in evaluation
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}
	return s.evaluation(ctx, r, in)
}

// evaluationAnswer returns a decision in AuthZEN's form.
func evaluationAnswer(d *remit.Decision) any {
	return evaluated{d.Verdict == remit.Allow, evaluationContext{d.Verdict, d.Call, d.Arguments, d.Reasons, d.Explain()}}
}

func (s *Server) evaluation(ctx context.Context, r *request, in evaluation) (reply, error) {
	r.form, r.unseen = evaluationAnswer, true
	d, err := s.decideCall(ctx, r, in.Context.Session, remit.Call{
		ID: in.Context.Call, Server: in.Resource.ID, Tool: in.Action.Name,
		Arguments: in.Context.Arguments,
	})
	if err != nil {
		return reply{}, err
	}
	return ok(evaluationAnswer(d), nil)
}

func (s *Server) evaluateAll(ctx context.Context, r *request) (reply, error) {
	var in struct {
		evaluation
		Evaluations []evaluation `json:"evaluations"`
		Options     struct {
			Semantic string `json:"evaluations_semantic"`
		} `json:"options"`
	}
	if err := decode(r, &in); err != nil {
		return reply{}, err
	}

	for i, e := range in.Evaluations {
		e = e.fillFrom(in.evaluation)
		if e.Subject == nil || e.Action == nil || e.Resource == nil || e.Context == nil {
			return reply{}, invalidRequest.errorf("evaluation %d has no subject, action, resource or context, and neither has the request", i)
		}
		in.Evaluations[i] = e
	}

	out := struct {
		Evaluations []json.RawMessage `json:"evaluations"`
	}{[]json.RawMessage{}}
	for i, e := range in.Evaluations {
		text, err := s.evaluateOne(ctx, r, i, e)
		if err != nil {
			if len(out.Evaluations) > 0 && changedNothing(err) {
				// Earlier evaluations were decided: the request as a whole
				// changed something.
				err = errors.New(err.Error())
			}
			return reply{}, err
		}
		out.Evaluations = append(out.Evaluations, text)
		var one evaluated
		if err := json.Unmarshal(text, &one); err != nil {
			return reply{}, err
		}
		decides := map[string]bool{"deny_on_first_deny": !one.Decision, "permit_on_first_permit": one.Decision}
		if decides[in.Options.Semantic] {
			break
		}
	}

	return ok(out, nil)
}

// evaluateOne decides one evaluation of a batch. Under an idempotency key each
// evaluation runs once on its own: the server may die after the first of them.
func (s *Server) evaluateOne(ctx context.Context, r *request, i int, e evaluation) (json.RawMessage, error) {
	carryOut := func(ctx context.Context, r *request) (reply, error) { return s.evaluation(ctx, r, e) }

	var out reply
	var err error
	if r.settles == nil {
		out, err = carryOut(ctx, r)
	} else {
		// A principal's name never contains a NUL byte.
		id := r.settles.Request
		id.Principal += fmt.Sprintf("\x00evaluation %d", i)
		out, err = s.runKeyed(ctx, r, id, carryOut)
	}
	if err != nil {
		return nil, err
	}
	text, ok := out.body.(kept)
	if !ok {
		text, err = encode(out.body)
	}
	if out.status >= http.StatusBadRequest {
		return nil, decodeProblem(text)
	}
	return json.RawMessage(text), err
}
