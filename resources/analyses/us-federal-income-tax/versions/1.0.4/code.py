from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def by_schedule(income, limits, rates):
    tax, below = D(0), D(0)
    for at, rate in enumerate(rates):
        top = D(limits[at]) if at < len(limits) else income
        part = min(income, top) - below
        if part <= 0:
            break
        tax += part * D(rate)
        below = top
    return tax


def rate_at(income, limits, rates):
    for limit, rate in zip(limits, rates):
        if income <= D(limit):
            return D(rate)
    return D(rates[len(limits)])


def by_table(income, limits, rates):
    """The printed table: tax on the middle of the row, in whole dollars; the schedule from 100,000 on."""
    if income >= 100000:
        return by_schedule(income, limits, rates)
    whole = int(income)
    if whole < 5:
        return D(0)
    if whole < 25:
        low, width = (5, 10) if whole < 15 else (15, 10)
    else:
        width = 25 if whole < 3000 else 50
        low = whole // width * width
    middle = D(low) + D(width) / 2
    return by_schedule(middle, limits, rates).quantize(D(1), ROUND_HALF_UP)


def tax_on(taxable, favoured, regular, status, params, steps):
    """Ordinary income by the schedule or the table, gains and qualified dividends on top of it by their own rates."""
    limits, rates = params["brackets"][status], params["rates"]
    ordinary = taxable - favoured
    tax = regular(ordinary, limits, rates)
    steps.append(("Tax on ordinary income", cent(tax), "26 USC 1(j)"))
    if favoured <= 0:
        return tax
    ends = params["capital_gains_thresholds"][status]
    at, special = ordinary, D(0)
    for end, rate in zip([D(each) for each in ends] + [None], params["capital_gains_rates"]):
        top = taxable if end is None else min(taxable, end)
        if top > at:
            part = (top - at) * D(rate)
            special += part
            steps.append((f"Gains and qualified dividends of {cent(top - at)} at {D(rate) * 100:f} %", cent(part), "26 USC 1(h)"))
            at = top
    return min(tax + special, regular(taxable, limits, rates))


def run(inputs, params):
    status = inputs["filing_status"]
    steps = []
    limits, rates = params["brackets"][status], params["rates"]
    standard = D(params["standard_deduction"][status])
    short, long = D(inputs["short_term_gains"]), D(inputs["long_term_gains"])
    qualified = D(inputs["qualified_dividends"])
    parts = [inputs["wages"], inputs["other_income"]]
    invested, modified = inputs["net_investment_income"], inputs["modified_agi"]
    without_income = all(part is None for part in parts) and short == 0 and long == 0 and qualified == 0
    agi = taxable = income_tax = marginal = None
    if inputs["taxable_income"] is not None:
        if any(part is not None for part in parts) or inputs["deductions"] is not None:
            raise ValueError("Give taxable_income, or wages and other income with deductions, not both.")
        taxable = D(inputs["taxable_income"])
    elif without_income:
        # The tax on net investment income needs no more than these two.
        if invested is None or modified is None:
            raise ValueError("Give taxable_income, or wages or other income.")
    else:
        net = short + long
        limit = D(params["loss_limit"][status])
        counted = max(net, -limit)
        if net < 0:
            steps.append(("Net capital loss that is deducted this year", cent(-counted), "26 USC 1211(b)"))
        agi = sum((D(part) for part in parts if part is not None), D(0)) + counted + qualified
        steps.append(("Adjusted gross income", cent(agi), "26 USC 62"))
        deduction = D(inputs["deductions"]) if inputs["deductions"] is not None else standard
        steps.append(("Deductions", cent(deduction), "26 USC 63"))
        taxable = max(agi - deduction, D(0))
    if taxable is not None:
        steps.append(("Taxable income", cent(taxable), "26 USC 63"))
        favoured = min(max(min(long, long + short), D(0)) + qualified, taxable)
        regular = by_table if inputs["method"] == "irs_table" else by_schedule
        income_tax = cent(tax_on(taxable, favoured, regular, status, params, steps))
        marginal = float(rate_at(taxable - favoured, limits, rates))
        steps.append(("Income tax", income_tax, "26 USC 1"))

    extra = D(0)
    if invested is not None:
        if modified is None and agi is None:
            raise ValueError("The tax on net investment income needs modified_agi.")
        modified = D(modified) if modified is not None else agi
        over = max(modified - D(params["niit_threshold"][status]), D(0))
        extra = min(max(D(invested), D(0)), over) * D(params["niit_rate"])
        steps.append(("Net investment income tax", cent(extra), "26 USC 1411"))
    return {
        "outputs": {
            "adjusted_gross_income": cent(agi) if agi is not None else None,
            "standard_deduction": cent(standard),
            "taxable_income": cent(taxable) if taxable is not None else None,
            "income_tax": income_tax,
            "net_investment_income_tax": cent(extra),
            "marginal_rate": marginal,
        },
        "steps": steps,
    }
