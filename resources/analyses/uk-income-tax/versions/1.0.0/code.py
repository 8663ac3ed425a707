from decimal import Decimal as D, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP


def penny(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def extended(bands, by):
    """Gross pension contributions and gifts widen the bands; Scotland's starter band stays as it is."""
    starter = 1 if len(bands) > 3 else 0
    return [
        {"to": band["to"] if band["to"] is None or at < starter else D(band["to"]) + by, "rate": band["rate"]}
        for at, band in enumerate(bands)
    ]


def slices(start, amount, bands):
    """How an amount that lies on top of `start` falls into the bands: (part, rate)."""
    end, below, parts = start + amount, D(0), []
    for band in bands:
        top = end if band["to"] is None else D(band["to"])
        part = min(end, top) - max(start, below)
        if part > 0:
            parts.append((part, D(band["rate"])))
        below = top
    return parts


def run(inputs, params):
    region = inputs["region"]
    steps = []
    earned = D(inputs["employment_income"]) + D(inputs["other_non_savings_income"])
    dividends = D(inputs["dividends"])
    gift = D(inputs["gift_aid"]) / D("0.8")
    relief = D(inputs["pension_contributions_gross"]) + gift
    direct = inputs["taxable_non_savings_income"]
    if direct is not None:
        if earned > 0:
            raise ValueError("Give taxable_non_savings_income or the incomes before allowances, not both.")
        if D(inputs["child_benefit"]) > 0:
            raise ValueError("The child benefit charge needs the incomes before allowances.")
        allowance, left, taxable_earned = None, D(0), D(direct)
        net_income = None
    else:
        net_income = max(earned + dividends - relief, D(0))
        rule = params["personal_allowance"]
        over = max(net_income - D(rule["taper_from"]), D(0))
        allowance = max((D(rule["amount"]) - over * D(rule["taper"])).quantize(D(1), ROUND_CEILING), D(0))
        steps.append(("Adjusted net income", penny(net_income), "ITA 2007 s. 58"))
        steps.append(("Personal allowance, rounded up to a pound", allowance, "ITA 2007 s. 35"))
        taxable_earned = max(earned - allowance, D(0))
        left = max(allowance - earned, D(0))
    taxable_dividends = max(dividends - left, D(0))

    uk_bands = extended(params["uk_bands"], relief)
    bands = extended(params["scottish_bands"], relief) if region == "scotland" else uk_bands
    law = "Scotland Act 1998 s. 80C; Scottish rate resolution" if region == "scotland" else "ITA 2007 s. 10"
    tax, applied = D(0), []
    for part, rate in slices(D(0), taxable_earned, bands):
        tax += part * rate
        applied.append({"amount": penny(part), "rate": float(rate), "tax": penny(part * rate)})
        steps.append((f"{penny(part)} at {rate * 100:f} %", penny(part * rate), law))

    dividend_tax = D(0)
    nil = min(D(params["dividend_nil_rate"]), taxable_dividends)
    if taxable_dividends > 0:
        steps.append(("Dividends at the nil rate", penny(nil), "ITA 2007 s. 13A"))
        rates = [D(rate) for rate in params["dividend_rates"]]
        limits = [{"to": band["to"], "rate": rate} for band, rate in zip(uk_bands, rates)]
        for part, rate in slices(taxable_earned + nil, taxable_dividends - nil, limits):
            dividend_tax += part * rate
            steps.append((f"Dividends of {penny(part)} at {rate * 100:f} %", penny(part * rate), "ITA 2007 s. 13"))

    charge = D(0)
    benefit = D(inputs["child_benefit"])
    if benefit > 0 and net_income is not None:
        rule = params["child_benefit_charge"]
        over = max(net_income - D(rule["from"]), D(0))
        percent = min((over / D(rule["per"])).quantize(D(1), ROUND_FLOOR), D(100))
        charge = (benefit * percent / 100).quantize(D(1), ROUND_FLOOR)
        steps.append(("Percent of child benefit that is charged", int(percent), "ITEPA 2003 s. 681C"))
        steps.append(("High income child benefit charge", penny(charge), "ITEPA 2003 s. 681B"))

    income_tax, dividend_tax = penny(tax), penny(dividend_tax)
    steps.append(("Income tax on non-savings income", income_tax, law))
    return {
        "outputs": {
            "personal_allowance": penny(allowance) if allowance is not None else None,
            "taxable_income": penny(taxable_earned + taxable_dividends),
            "income_tax": income_tax,
            "dividend_tax": dividend_tax,
            "child_benefit_charge": penny(charge),
            "total_due": penny(income_tax + dividend_tax + charge),
            "adjusted_net_income": penny(net_income) if net_income is not None else None,
            "bands_applied": applied,
        },
        "steps": steps,
    }
