package eval

// putRate puts a rate into the object, or null where it is a rate of nothing.
func (o object) putRate(name string, r Rate) {
	if r.Of == 0 {
		o[name] = nil
		return
	}
	o.rate(name, r)
}

// putHarmonic puts the harmonic mean of precision and recall into the object, or null
// where both are of nothing.
func (o object) putHarmonic(name string, precision, recall Rate) {
	o[name] = nil
	if precision.Of+recall.Of > 0 {
		o[name] = f1(precision, recall)
	}
}

// list is never null in JSON.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// put adds the rates; those of nothing are null.
func (r MappingRates) put(o object) {
	o.putRate("precision", r.Precision)
	o.putRate("recall", r.Recall)
	o.putHarmonic("f1", r.Precision, r.Recall)
	o["references"], o["references_graded"], o["references_pairs"] = r.References, r.GradedReferences, r.Pairs
	items := object{}
	items.putRate("precision", r.Items.Precision)
	items.putRate("recall", r.Items.Recall)
	items.putHarmonic("f1", r.Items.Precision, r.Items.Recall)
	items.putRate("touched_precision", r.Items.TouchedPrecision)
	items.putRate("touched_recall", r.Items.TouchedRecall)
	items.putHarmonic("touched_f1", r.Items.TouchedPrecision, r.Items.TouchedRecall)
	o["items"] = items
}

func (r *MappingReport) object() object {
	o := object{"missed": list(r.Missed), "extra": list(r.Extra), "foreign": list(r.Foreign), "unplaced": list(r.Unplaced),
		"every_tool": list(r.EveryTool), "archived": list(r.Archived),
		"macro": object{"precision": r.MacroPrecision, "recall": r.MacroRecall, "f1": r.MacroF1}}
	tools, kinds := object{}, object{}
	for tool, rates := range r.ByTool {
		t := object{}
		rates.put(t)
		tools[tool] = t
	}
	for kind, rate := range r.RecallByKind {
		kinds.rate(kind, rate)
	}
	o["by_tool"], o["recall_by_kind"] = tools, kinds
	return o
}

// put adds the rates; without a report they are null.
func (r *GuardReport) put(o object) {
	if r == nil {
		o["tpr"], o["false_positive_rate"], o["mutation_score"], o["guards"] = nil, nil, nil, nil
		return
	}
	truth := r.Truth
	o.putRate("tpr", truth.TPR)
	o.putRate("false_positive_rate", truth.AllowRight.Complement())
	o["mutation_score"] = nil
	if of := r.Killed + r.Survived; of > 0 {
		o["mutation_score"] = float64(r.Killed) / float64(of)
	}

	tools := object{}
	for tool, rates := range r.ByTool {
		tools[tool] = rates.object()
	}
	o["guards"] = object{"policies": r.Policies, "enforced": r.Enforced, "not_enforced": list(r.Unenforced), "mistakes": list(r.Mistakes),
		"mutants_killed": r.Killed, "mutants_survived": r.Survived, "mutation_skipped": list(r.Skipped),
		"truth_tools": r.Truth.object(), "all_tools": r.All.object(), "by_tool": tools,
		"literal": r.Literal.object(), "interpretive": r.Interpretive.object(), "wrong": list(r.Wrong), "conversations": r.Conversations.object(), "times": r.Times.object()}
}

// object is null without conversations.
func (r *ConversationReport) object() any {
	if r == nil {
		return nil
	}
	o := object{"asked": r.Asked, "unproven": r.Unproven, "held": r.Held, "denied_for_words": r.Words, "questions": r.Questions, "open": list(r.Open), "wrong": list(r.Wrong), "unmeasured": list(r.Unmeasured)}
	o.putRate("passed", r.Passed)
	o.putRate("denied", r.Denied)
	return o
}

func (r GuardRates) object() object {
	o := object{"only_not_enforced": r.Unenforced, "only_undecided": r.Undecided, "only_asked": r.Asked, "only_unproven": r.Unproven,
		"allowed_denied_for_words": r.Words, "allowed_asked": r.AskedAllowed, "allowed_unproven": r.UnprovenAllowed}
	o.putRate("right_rule", r.RightRule)
	o.putRate("tpr", r.TPR)
	o.putRate("allow_right", r.AllowRight)
	return o
}
