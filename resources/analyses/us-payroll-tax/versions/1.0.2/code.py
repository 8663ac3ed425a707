from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def run(inputs, params):
    wages, business = D(inputs["wages"]), D(inputs["self_employment_income"])
    base = D(params["wage_base"])
    steps = []
    covered = min(wages, base)
    social = cent(covered * D(params["social_security_rate"]))
    medicare = cent(wages * D(params["medicare_rate"]))
    steps.append(("Wages up to the contribution base", cent(covered), "26 USC 3121(a)(1)"))
    steps.append(("Employee social security", social, "26 USC 3101(a)"))
    steps.append(("Employee Medicare", medicare, "26 USC 3101(b)(1)"))

    net = business * D(params["net_earnings_factor"])
    if net < D(params["net_earnings_from"]):
        net = D(0)
    se_social = min(net, max(base - covered, D(0))) * D(params["se_social_security_rate"])
    se_tax = cent(se_social + net * D(params["se_medicare_rate"]))
    steps.append(("Net earnings from self-employment", cent(net), "26 USC 1402(a)(12), (b)(2)"))
    steps.append(("Self-employment tax", se_tax, "26 USC 1401"))

    threshold = D(params["additional_medicare_threshold"][inputs["filing_status"]])
    additional = cent(max(wages + net - threshold, D(0)) * D(params["additional_medicare_rate"]))
    steps.append(("Additional Medicare tax", additional, "26 USC 3101(b)(2), 1401(b)(2)"))
    employee = social + medicare + additional
    employer = cent(covered * D(params["social_security_rate"])) + medicare
    steps.append(("Employer's share", employer, "26 USC 3111"))
    return {
        "outputs": {
            "employee_social_security": social,
            "employee_medicare": medicare,
            "additional_medicare": additional,
            "net_earnings_subject_to_se_tax": cent(net),
            "se_tax": se_tax,
            "employee_total": employee,
            "employee_and_employer_total": employee + employer,
        },
        "steps": steps,
    }
