from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def by_bands(amount, bands):
    """Tax on an amount by bands of (upper end or None, rate), with the part that falls into each."""
    parts, below = [], D(0)
    for band in bands:
        top = amount if band["to"] is None else min(amount, D(band["to"]))
        if top > below:
            parts.append((top - below, D(band["rate"]), (top - below) * D(band["rate"])))
            below = top
    return sum((tax for _, _, tax in parts), D(0)), parts


def credit_for_work(employed, self_employed, params):
    """Employee and earned-income credit of one person; together never above one."""
    wanted = (D(params["employee_credit"]) if employed > 0 else D(0)) + (
        D(params["earned_income_credit"]) if self_employed > 0 else D(0)
    )
    return min(wanted, max(D(params["employee_credit"]), D(params["earned_income_credit"])))


def usc_of(employed, self_employed, reduced, params):
    income = employed + self_employed
    if income <= D(params["usc_exemption"]):
        return D(0), []
    rule = params["usc_reduced"]
    bands = params["usc_bands"]
    if reduced and income <= D(rule["max_income"]):
        bands = [bands[0], {"to": None, "rate": rule["rate_above"]}]
    charge, parts = by_bands(income, bands)
    extra = params["usc_surcharge"]
    above = max(self_employed - D(extra["above"]), D(0))
    return charge + above * D(extra["rate"]), parts


def prsi_a(earnings, params):
    """Class A over a year of even weeks: 39 at the rate before 1 October, 13 at the rate after it."""
    week = earnings / 52
    credit_rule = params["prsi_credit"]
    if week <= D(params["prsi_nil_to"]):
        return D(0)
    credit = D(0)
    if week <= D(credit_rule["to"]):
        credit = min(D(credit_rule["max"]), D(credit_rule["max"]) - cent((week - D(credit_rule["from"])) / 6))
    before, after = D(params["prsi_rate_to_september"]), D(params["prsi_rate_from_october"])
    # Divided last, so that half a cent stays half a cent.
    return max((39 * before + 13 * after) * earnings / 52 - 52 * credit, D(0))


def prsi_s(income, params):
    rule = params["prsi_class_s"]
    if income < D(rule["from_income"]):
        return D(0)
    weeks = 39 * D(params["prsi_rate_to_september"]) + 13 * D(params["prsi_rate_from_october"])
    return max(income * weeks / 52, D(rule["minimum"]))


def run(inputs, params):
    status = inputs["status"]
    married = status in ("married_one_income", "married_two_incomes")
    people = [
        (D(inputs["employment_income"]), D(inputs["self_employment_income"])),
        (D(inputs["spouse_employment_income"]), D(inputs["spouse_self_employment_income"])),
    ]
    if not married and sum(people[1]) > 0:
        raise ValueError("A spouse's income needs a married status.")
    if inputs["home_carer_credit"] and not married:
        raise ValueError("The home carer credit needs a married status.")
    if inputs["home_carer_credit"] and status == "married_two_incomes":
        raise ValueError(
            "The home carer credit and the wider band for two incomes exclude each other: "
            "use married_one_income, or leave the credit out."
        )
    gross = sum(people[0]) + sum(people[1])
    steps = []

    band = params["cut_off"]
    cut_off = D(band["married"] if married else band[status])
    if status == "married_two_incomes":
        cut_off += min(D(band["second_income"]), min(sum(people[0]), sum(people[1])))
    taxable = max(gross - D(inputs["pension_contributions"]), D(0))
    rates = params["rates"]
    at_standard = min(taxable, cut_off) * D(rates["standard"])
    at_higher = max(taxable - cut_off, D(0)) * D(rates["higher"])
    steps.append(("Income for income tax, after pension contributions", cent(taxable), "TCA 1997 s. 15"))
    steps.append(("Standard rate cut-off point", cent(cut_off), "TCA 1997 s. 15"))
    steps.append(("Tax at the standard rate", cent(at_standard), "TCA 1997 s. 15"))
    steps.append(("Tax at the higher rate", cent(at_higher), "TCA 1997 s. 15"))

    credits = {
        "personal": D(params["personal_credit"]) * (2 if married else 1),
        "employee_and_earned_income": sum((credit_for_work(e, s, params) for e, s in people), D(0)),
        "single_parent": D(params["single_parent_credit"]) if status == "single_parent" else D(0),
        "home_carer": D(params["home_carer_credit"]) if inputs["home_carer_credit"] else D(0),
        "dependent_relative": D(params["dependent_relative_credit"]) * inputs["dependent_relative_credits"],
        "other": D(inputs["other_credits"]),
    }
    all_credits = sum(credits.values(), D(0))
    steps.append(("Tax credits", cent(all_credits), "TCA 1997 ss. 461, 462B, 466, 466A, 472, 472AB"))
    income_tax = cent(max(at_standard + at_higher - all_credits, D(0)))
    steps.append(("Income tax after credits, not below nil", income_tax, "TCA 1997 s. 15"))

    usc, usc_parts = D(0), []
    for who, (employed, self_employed) in zip(("", " (spouse)"), people):
        charge, parts = usc_of(employed, self_employed, inputs["reduced_usc"], params)
        usc += cent(charge)
        for amount, rate, due in parts:
            usc_parts.append({"band": cent(amount), "rate": float(rate), "usc": cent(due)})
        if employed + self_employed > 0:
            steps.append(("Universal social charge" + who, cent(charge), "TCA 1997 ss. 531AM, 531AN"))

    prsi = D(0)
    for who, (employed, self_employed) in zip(("", " (spouse)"), people):
        if employed > 0:
            charge = cent(prsi_a(employed, params))
            prsi += charge
            steps.append(("PRSI class A" + who, charge, "SWCA 2005 s. 13"))
        if self_employed > 0:
            charge = cent(prsi_s(self_employed, params))
            prsi += charge
            steps.append(("PRSI class S" + who, charge, "SWCA 2005 s. 21"))

    total = income_tax + usc + prsi
    steps.append(("Income tax, USC and PRSI together", total, None))
    return {
        "outputs": {
            "income_tax": income_tax,
            "usc": usc,
            "prsi": cent(prsi),
            "net_income": cent(gross - total),
            "effective_rate_percent": round(float(total / gross * 100), 6) if gross > 0 else 0,
            "credits_applied": {name: cent(value) for name, value in credits.items()},
            "total_credits": cent(all_credits),
            "cut_off": cent(cut_off),
            "bands_applied": {
                "income_tax": [
                    {"band": cent(min(taxable, cut_off)), "rate": float(D(rates["standard"])), "tax": cent(at_standard)},
                    {"band": cent(max(taxable - cut_off, D(0))), "rate": float(D(rates["higher"])), "tax": cent(at_higher)},
                ],
                "usc": usc_parts,
            },
        },
        "steps": steps,
    }
