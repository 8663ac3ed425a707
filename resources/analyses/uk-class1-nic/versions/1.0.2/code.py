from decimal import Decimal as D, ROUND_CEILING, ROUND_DOWN, ROUND_HALF_DOWN

WEEKS = {"fortnightly": 2, "four_weekly": 4}


def due(earnings, rate):
    """The product cut at three decimals, then to the nearest penny; exactly half a penny goes down."""
    cut = (earnings * D(rate)).quantize(D("0.001"), ROUND_DOWN)
    return cut.quantize(D("0.01"), ROUND_HALF_DOWN)


def limit(thresholds, name, frequency):
    each = thresholds[name]
    if frequency in ("weekly", "monthly"):
        return D(each[frequency])
    return (D(each["yearly"]) * WEEKS[frequency] / 52).quantize(D(1), ROUND_CEILING)


def rates_of(groups, category, who):
    for group in groups:
        if category in group["categories"]:
            return group
    raise ValueError(f"Category {category} has no {who} rates in this year.")


def between(pay, low, high):
    return max(min(pay, high) - low, D(0)) if high is not None else max(pay - low, D(0))


def run(inputs, params):
    frequency, category = inputs["pay_frequency"], inputs["category"]
    pay = D(inputs["gross_pay"])
    at = {name: limit(params["thresholds"], name, frequency) for name in ("lel", "pt", "st", "fust", "uel")}
    employee = rates_of(params["employee_rates"], category, "employee")
    employer = rates_of(params["employer_rates"], category, "employer")
    steps = [(f"{label} for this pay period", at[name], "SSCBA 1992 ss. 5, 8, 9") for name, label in (
        ("lel", "Lower earnings limit"), ("pt", "Primary threshold"), ("st", "Secondary threshold"), ("uel", "Upper earnings limit"))]

    main, above = between(pay, at["pt"], at["uel"]), between(pay, at["uel"], None)
    paid = due(main, employee["pt_to_uel"]) + due(above, employee["above_uel"])
    steps.append(("Earnings from the primary threshold to the upper limit", main, "SSCBA 1992 s. 8"))
    steps.append(("Earnings above the upper limit", above, "SSCBA 1992 s. 8"))
    steps.append(("Employee contribution", paid, "SSCBA 1992 s. 8"))

    # One product where one rate covers all, as HMRC's tables do; else one for each band.
    rates = [D(employer["st_to_fust"]), D(employer["fust_to_uel"]), D(employer["above_uel"])]
    ends = [(at["st"], at["fust"]), (at["fust"], at["uel"]), (at["uel"], None)]
    owed, start = D("0.00"), 0
    while start < 3:
        end = start
        while end + 1 < 3 and rates[end + 1] == rates[start]:
            end += 1
        owed += due(between(pay, ends[start][0], ends[end][1]), rates[start])
        start = end + 1
    steps.append(("Employer contribution", owed, "SSCBA 1992 s. 9"))
    return {
        "outputs": {
            "employee_nic": paid,
            "employer_nic": owed,
            "total_nic": paid + owed,
            "earnings_at_lel": (at["lel"] if pay >= at["lel"] else D(0)).quantize(D("0.01")),
            "earnings_lel_to_pt": between(pay, at["lel"], at["pt"]).quantize(D("0.01")),
            "earnings_pt_to_uel": main.quantize(D("0.01")),
            "earnings_above_uel": above.quantize(D("0.01")),
        },
        "steps": steps,
    }
