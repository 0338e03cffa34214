package airline

violations contains "cancellable" if {
	input.tool == "cancel_reservation"
	not cancellable
}

cancellable if {
	booked := time.parse_rfc3339_ns(concat("", [input.reservation.created_at, "-05:00"]))
	time.parse_rfc3339_ns(input.now) - booked <= ((24 * 60) * 60) * 1000000000
}

cancellable if input.reservation.cabin == "business"

cancellable if {
	some f in input.flights
	f.status == "cancelled"
}

cancellable if {
	input.reservation.insurance == "yes"
	regex.match(`(?i)\b(sick|ill|unwell|health|medical|doctor|hospital|surgery|weather|storm|hurricane|snow|flood)\b`, input.said)
	not regex.match(`(?i)(\b(no|not|never|neither|without)|n['’]t)\s+(\w+\s+){0,4}(sick|ill|unwell|health|medical|doctor|hospital|weather|storm|snow)\b`, input.said)
}

violations contains "not-flown" if {
	input.tool == "cancel_reservation"
	some f in input.flights
	f.status in {"flying", "landed"}
}

violations contains "bags-are-only-added" if {
	input.tool == "update_reservation_baggages"
	input.args.total_baggages < input.reservation.total_baggages
}

violations contains "free-bags" if {
	input.tool == "update_reservation_baggages"
	not bags_paid
}

bags_paid if {
	each := free[input.user.membership][input.reservation.cabin]
	input.args.total_baggages >= 0
	input.args.nonfree_baggages == max([0, input.args.total_baggages - (each * count(input.reservation.passengers))])
}

free := {
	"regular": {"basic_economy": 0, "economy": 1, "business": 2},
	"silver": {"basic_economy": 1, "economy": 2, "business": 3},
	"gold": {"basic_economy": 2, "economy": 3, "business": 3},
}
