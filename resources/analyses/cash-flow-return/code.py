import math
from datetime import date
from decimal import Decimal as D, ROUND_HALF_UP

# Growth factors 1 + r at which the equation is looked at: fine where rates usually lie, coarse far away. Money that
# doubles overnight grows by 10^110 a year; below 10^-12 a rate cannot be told from -1.
GRID = sorted(
    {10 ** (k / 20) for k in range(-240, 241)}
    | {10 ** (k / 200) for k in range(-200, 201)}
    | {10.0**k for k in range(13, 301)}
    | {1.0}
)

# All of them are looked at for each of a thousand rates: more would take minutes.
MOST_DATES = 20_000


def present_value(flows, growth):
    try:
        return math.fsum(amount * growth ** -at for at, amount in flows)
    except (OverflowError, ZeroDivisionError):
        return math.nan


def bisect(function, low, high):
    at_low = function(low)
    for _ in range(300):
        middle = (low + high) / 2
        if middle <= low or middle >= high:
            break
        value = function(middle)
        if value == 0:
            return middle
        if (value < 0) == (at_low < 0):
            low, at_low = middle, value
        else:
            high = middle
    return (low + high) / 2


def roots_of(function):
    """Every growth factor on the grid's range at which the function changes its sign."""
    found, before = [], None
    for growth in GRID:
        value = function(growth)
        if math.isnan(value) or math.isinf(value):
            before = None
            continue
        if value == 0:
            found.append(growth)
            before = None
            continue
        if before is not None and (before[1] < 0) != (value < 0):
            found.append(bisect(function, before[0], growth))
        before = (growth, value)
    return found


def dated(inputs):
    rows = inputs["flows"]
    if not rows:
        raise ValueError("This function needs flows.")
    if any(row.get("date") is None for row in rows):
        raise ValueError("Each flow needs a date and an amount.")
    first = min(date.fromisoformat(row["date"]) for row in rows)
    return [((date.fromisoformat(row["date"]) - first).days / 365, float(D(row["amount"]))) for row in rows]


def periodic(inputs):
    rows = inputs["flows"]
    if not rows:
        raise ValueError("This function needs flows.")
    if any(row.get("date") is not None for row in rows):
        raise ValueError("Dated flows belong to xirr and xnpv.")
    return [(at, float(D(row["amount"]))) for at, row in enumerate(rows)]


def number(inputs, name, default=None):
    if inputs[name] is None:
        if default is None:
            raise ValueError(f"{inputs['function']} needs {name}.")
        return default
    return float(D(inputs[name]))


def together(amounts):
    """Their sum; nil where nothing is left of it but what is lost in binary fractions."""
    total = math.fsum(amounts)
    return total if abs(total) > 1e-15 * math.fsum(map(abs, amounts)) else 0.0


def net_flows(flows):
    """What is left of each date, from the first on whose flows do not cancel each other. Those before it change no rate,
    and beside them a high rate would make of all later flows a nil that looks like a solution."""
    by_date = {}
    for at, amount in flows:
        by_date.setdefault(at, []).append(amount)
    net = [(at, amount) for at, amount in ((at, together(by_date[at])) for at in sorted(by_date)) if amount != 0]
    if len(net) > MOST_DATES:
        raise ValueError(f"Money flows on more than {MOST_DATES:,} dates or in as many periods: add it up by longer ones.")
    return [(at - net[0][0], amount) for at, amount in net]


def internal_rate(flows, steps):
    left = net_flows(flows)
    changes = sum(1 for (_, a), (_, b) in zip(left, left[1:]) if (a > 0) != (b > 0))
    nil = not left
    roots = [growth - 1 for growth in roots_of(lambda growth: present_value(left, growth))] if left else []
    steps.append(("Changes of sign of the flows in time", changes, None))
    outputs = {"value": None, "roots": roots, "sign_changes": changes, "residual": None}
    if not roots:
        outputs["reason"] = (
            "All flows are nil, so every rate is as good as another."
            if nil
            else "All flows have the same sign, so no rate exists."
            if changes == 0
            else "No rate above -1 makes the present value nil."
        )
        steps.append(("No rate was found", outputs["reason"], None))
        return outputs
    best = min(roots, key=lambda root: abs(root - 0.1))
    outputs["value"] = best
    outputs["residual"] = present_value(flows, 1 + best)
    steps.append(("Rate at which the present value is nil", best, "Σ a·(1+r)^−t = 0"))
    steps.append(("Present value at that rate", outputs["residual"], None))
    if len(roots) > 1:
        outputs["reason"] = f"{len(roots)} rates satisfy the equation; the one nearest to 0.1 is shown first."
    return outputs


def annuity(rate, nper, due):
    """What one unit a period is worth after nper periods."""
    if rate == 0:
        return float(nper)
    return (1 + rate * due) * ((1 + rate) ** nper - 1) / rate


def amounts_of(inputs):
    """Payment, present and future value; one that is not given is nil, where what is left still makes a question."""
    what = inputs["function"]
    names = [name for name in ("pmt", "pv", "fv") if name != what]
    least = 2 if what in ("rate", "nper") else 1
    if sum(inputs[name] is not None for name in names) < least:
        raise ValueError(f"{what} needs {'two of ' if least == 2 else ''}{', '.join(names[:-1])} {'and' if least == 2 else 'or'} {names[-1]}.")
    return (number(inputs, name, 0.0) for name in ("pmt", "pv", "fv"))


def time_value(inputs, steps):
    what = inputs["function"]
    due = 1 if inputs["due"] == "begin" else 0
    equation = "pv(1+r)^n + pmt(1+r·due)((1+r)^n−1)/r + fv = 0"
    pmt, pv, fv = amounts_of(inputs)
    if what == "rate":
        nper = number(inputs, "nper")
        function = lambda growth: pv * growth ** nper + pmt * annuity(growth - 1, nper, due) + fv
        roots = [growth - 1 for growth in roots_of(guarded(function))]
        outputs = {"value": min(roots, key=lambda root: abs(root - 0.1)) if roots else None, "roots": roots}
        if not roots:
            outputs["reason"] = "No rate above -1 satisfies the equation."
        steps.append(("Rate a period", outputs["value"], equation))
        return outputs
    rate = number(inputs, "rate")
    if rate <= -1:
        raise ValueError("rate must be above -1.")
    if what == "nper":
        if rate == 0:
            if pmt == 0:
                return {"value": None, "reason": "Without interest and payments there is no number of periods."}
            value = -(fv + pv) / pmt
        else:
            z = pmt * (1 + rate * due) / rate
            top, bottom = z - fv, z + pv
            if bottom == 0 or top / bottom <= 0:
                return {"value": None, "reason": "The payments never reach the target."}
            value = math.log(top / bottom) / math.log1p(rate)
        steps.append(("Number of periods", value, equation))
        return {"value": value}
    nper = number(inputs, "nper")
    growth = (1 + rate) ** nper
    if what == "pmt":
        if nper <= 0:
            raise ValueError("nper must be more than nil.")
        value = -(pv * growth + fv) / annuity(rate, nper, due)
    elif what == "pv":
        value = -(pmt * annuity(rate, nper, due) + fv) / growth
    else:
        value = -(pv * growth + pmt * annuity(rate, nper, due))
    steps.append((what, value, equation))
    return {"value": value}


def guarded(function):
    def look(growth):
        try:
            return function(growth)
        except (OverflowError, ZeroDivisionError):
            return math.nan

    return look


def modified(inputs, steps):
    flows = periodic(inputs)
    finance, reinvest = number(inputs, "finance_rate"), number(inputs, "reinvest_rate")
    if finance <= -1 or reinvest <= -1:
        raise ValueError("The rates must be above -1.")
    n = len(flows)
    gains = sum(amount * (1 + reinvest) ** (n - 1 - at) for at, amount in flows if amount > 0)
    costs = sum(amount * (1 + finance) ** -at for at, amount in flows if amount < 0)
    if gains == 0 or costs == 0 or n < 2:
        return {"value": None, "reason": "The flows need at least one of each sign."}
    value = (gains / -costs) ** (1 / (n - 1)) - 1
    steps.append(("Gains at the end", gains, None))
    steps.append(("Costs at the start", costs, None))
    steps.append(("Modified rate", value, None))
    return {"value": value}


def amortisation(inputs, steps):
    rate, pv = D(inputs["rate"] if inputs["rate"] is not None else _missing("rate")), inputs["pv"]
    nper = inputs["nper"]
    if pv is None or nper is None:
        raise ValueError("The amortisation table needs rate, nper and pv.")
    periods = int(D(nper))
    if periods != D(nper) or not 1 <= periods <= 1200:
        raise ValueError("nper must be a whole number from 1 to 1,200.")
    due = inputs["due"] == "begin"
    cent = lambda x: x.quantize(D("0.01"), ROUND_HALF_UP)
    balance = abs(D(pv))
    if rate == 0:
        payment = cent(balance / periods)
    else:
        growth = (1 + rate) ** periods
        payment = cent(balance * growth * rate / (growth - 1) / ((1 + rate) if due else 1))
    rows, paid_interest = [], D(0)
    for period in range(1, periods + 1):
        interest = D("0.00") if due and period == 1 else cent(balance * rate)
        paid = payment
        if period == periods:
            paid = balance + interest
        balance = balance + interest - paid
        paid_interest += interest
        rows.append({"period": period, "payment": cent(paid), "interest": interest, "principal": cent(paid - interest), "balance": cent(balance)})
    steps.append(("Payment a period", payment, None))
    steps.append(("Interest over all periods", paid_interest, None))
    return {"value": float(-payment), "table": rows, "total_interest": paid_interest}


def _missing(name):
    raise ValueError(f"The amortisation table needs {name}.")


def run(inputs, params):
    what, steps = inputs["function"], []
    if what == "xirr":
        outputs = internal_rate(dated(inputs), steps)
    elif what == "irr":
        outputs = internal_rate(periodic(inputs), steps)
    elif what in ("xnpv", "npv"):
        rate = number(inputs, "rate")
        if rate <= -1:
            raise ValueError("rate must be above -1.")
        value = present_value(dated(inputs) if what == "xnpv" else periodic(inputs), 1 + rate)
        steps.append(("Present value", value, "Σ a·(1+r)^−t, the first flow at time 0"))
        outputs = {"value": value}
    elif what == "mirr":
        outputs = modified(inputs, steps)
    elif what == "amortisation":
        outputs = amortisation(inputs, steps)
    else:
        try:
            outputs = time_value(inputs, steps)
        except OverflowError:
            raise ValueError("The figures are too large.") from None
    if isinstance(outputs["value"], float) and not math.isfinite(outputs["value"]):
        raise ValueError("The figures are too large.")
    return {"outputs": outputs, "steps": steps}
