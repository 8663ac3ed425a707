from decimal import Decimal as D, ROUND_CEILING, ROUND_DOWN, ROUND_HALF_DOWN

WEEKS = {"fortnightly": 2, "four_weekly": 4}


def penny(amount):
    """Cut at three decimals, then to the nearest penny; exactly half a penny goes down."""
    return amount.quantize(D("0.001"), ROUND_DOWN).quantize(D("0.01"), ROUND_HALF_DOWN)


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
    paid = penny(main * D(employee["pt_to_uel"])) + penny(above * D(employee["above_uel"]))
    steps.append(("Earnings from the primary threshold to the upper limit", main, "SSCBA 1992 s. 8"))
    steps.append(("Earnings above the upper limit", above, "SSCBA 1992 s. 8"))
    steps.append(("Employee contribution", paid, "SSCBA 1992 s. 8"))

    # HMRC's steps: the products up to the upper limit are added before they are rounded, the one above it stands alone.
    bands = ((at["st"], at["fust"], "st_to_fust"), (at["fust"], at["uel"], "fust_to_uel"))
    charged = sum((between(pay, low, high) * D(employer[rate]) for low, high, rate in bands), D(0))
    owed = penny(charged) + penny(above * D(employer["above_uel"]))
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
