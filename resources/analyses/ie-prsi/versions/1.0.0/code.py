from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def run(inputs, params):
    week = D(inputs["weekly_earnings"])
    rate = D(params["employee_rate"])
    steps = []
    if inputs["class"] == "S":
        charge = cent(week * rate)
        steps.append(("Class S: earnings at the rate of the day", charge, "SWCA 2005 s. 21"))
        return {
            "outputs": {
                "subclass": "S0" if week <= D(params["class_s_limit"]) else "S1",
                "prsi_credit": D("0.00"),
                "employee_prsi": charge,
                "employer_prsi": D("0.00"),
            },
            "steps": steps,
        }

    rule = params["credit"]
    credit, charge = D("0.00"), D("0.00")
    if week <= D(params["nil_to"]):
        steps.append(("No employee PRSI up to 352 a week", charge, "SWCA 2005 s. 13"))
    else:
        gross = cent(week * rate)
        steps.append(("Earnings at the rate of the day", gross, "SWCA 2005 s. 13(2)(b)"))
        if week <= D(rule["to"]):
            credit = min(D(rule["max"]), D(rule["max"]) - cent((week - D(rule["from"])) / 6)).quantize(D("0.01"))
            steps.append(("Credit: 12 less one sixth of what exceeds 352.01", credit, "SW14, PRSI credit"))
        charge = max(gross - credit, D("0.00"))
        steps.append(("Employee PRSI", charge, "SWCA 2005 s. 13"))

    employer = None
    threshold, rates = params.get("employer_threshold"), params.get("employer_rates")
    if threshold is not None and rates is not None:
        which = "lower" if week <= D(threshold) else "higher"
        employer = cent(week * D(rates[which]))
        steps.append((f"Employer PRSI at the {which} rate", employer, "SWCA 2005 s. 13(2)(d)"))
    return {
        "outputs": {
            "subclass": subclass(week, params, threshold),
            "prsi_credit": credit,
            "employee_prsi": charge,
            "employer_prsi": employer,
        },
        "steps": steps,
    }


def subclass(week, params, threshold):
    """A0 up to the nil limit, AX while the credit tapers, AL up to the employer's limit, A1 above."""
    if week <= D(params["nil_to"]):
        return "A0"
    if week <= D(params["credit"]["to"]):
        return "AX"
    if threshold is None:
        return "A1"
    return "AL" if week <= D(threshold) else "A1"
