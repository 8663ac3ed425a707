from datetime import date, timedelta
from decimal import Decimal as D, ROUND_HALF_UP


def is_month_end(day):
    return (day + timedelta(days=1)).month != day.month


def months_back(day, months, align):
    """The date so many months earlier; a month's last day leads to a month's last day where `align` says so."""
    at = day.year * 12 + day.month - 1 - months
    year, month = divmod(at, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(year, month + 1, last if align and is_month_end(day) else min(day.day, last))


def year_length(day):
    """365, or 366 where the year that ends on this day holds 29 February."""
    start = months_back(day, 12, False)
    for year in (start.year, day.year):
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if leap and start < date(year, 2, 29) <= day:
            return 366
    return 365


def years_between(start, end, interval):
    """Time in years as the Annex counts it: whole periods back from the later date, then days."""
    if end < start:
        return -years_between(end, start, interval)
    if interval == "days":
        return (end - start).days / year_length(end)
    if interval == "weeks":
        weeks, days = divmod((end - start).days, 7)
        return weeks / 52 + days / year_length(end - timedelta(days=7 * weeks))
    months = (end.year - start.year) * 12 + end.month - start.month
    while months > 0 and months_back(end, months, True) < start:
        months -= 1
    if months_back(end, months, True) < start:
        months -= 1
    rest_ends = months_back(end, months, True)
    days = (rest_ends - start).days
    if days == 0:
        return months / 12
    return months / 12 + days / year_length(rest_ends)


def flows_of(inputs):
    """All flows as (years, amount): drawdowns positive, payments negative, from the first drawdown on."""
    interval = inputs["interval"]
    dated = [row["date"] for row in inputs["drawdowns"] if row.get("date")]
    origin = date.fromisoformat(min(dated)) if dated else None
    flows, starts = [], []
    for sign, rows in ((1.0, inputs["drawdowns"]), (-1.0, inputs["payments"])):
        for row in rows:
            if row.get("date"):
                if row.get("t") is not None:
                    raise ValueError("Give a flow either a time t or a date, not both.")
                if origin is None:
                    raise ValueError("A payment has a date, and no drawdown has one: the time between them is not known.")
                at = years_between(origin, date.fromisoformat(row["date"]), interval)
            elif row.get("t") is not None:
                at = float(D(row["t"]))
            elif sign > 0 and origin is None:
                at = 0.0
            else:
                raise ValueError("A flow needs a time t in years, or a date.")
            count = row.get("count") or 1
            every = float(D(row["every"])) if row.get("every") is not None else None
            if count > 1 and every is None:
                raise ValueError("A payment that is repeated needs `every`, the years between two of them.")
            for k in range(count):
                flows.append((at + k * (every or 0.0), sign * float(D(row["amount"]))))
            if sign > 0:
                starts.append(at)
    first = min(starts)
    if first != 0:
        flows = [(at - first, amount) for at, amount in flows]
    if len(flows) > 20000:
        raise ValueError("More than 20,000 flows.")
    return sorted(flows)


def value_at(flows, rate):
    try:
        return sum(amount * (1.0 + rate) ** -at for at, amount in flows)
    except (OverflowError, ZeroDivisionError):
        return float("nan")


def root_between(flows, low, high):
    at_low = value_at(flows, low)
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        value = value_at(flows, middle)
        if value == 0:
            return middle
        if (value < 0) == (at_low < 0):
            low, at_low = middle, value
        else:
            high = middle
    return (low + high) / 2


def all_roots(flows):
    grid = [-1 + 10 ** (k / 20) for k in range(-60, 0)] + [0.0]
    grid += [10 ** (k / 40) - 1 for k in range(1, 241)]
    # A few days are enough for a rate beyond any table: a quarter more after one day is 10^35 a year.
    grid += [10.0**k for k in range(7, 41)]
    roots, before = [], None
    for rate in grid:
        value = value_at(flows, rate)
        if value != value:
            before = None
            continue
        if value == 0:
            roots.append(rate)
            before = None
            continue
        if before is not None and (before[1] < 0) != (value < 0):
            roots.append(root_between(flows, before[0], rate))
        before = (rate, value)
    return roots


def half_up(value, places):
    return D(repr(value)).quantize(D(1).scaleb(-places), ROUND_HALF_UP)


def run(inputs, params):
    act = params["rule"]["act"]
    if not inputs["drawdowns"] or not inputs["payments"]:
        raise ValueError("A credit needs at least one drawdown and one payment.")
    flows = flows_of(inputs)
    merged = {}
    for at, amount in flows:
        merged[at] = merged.get(at, 0.0) + amount
    signs = [amount > 0 for _, amount in sorted(merged.items()) if amount != 0]
    changes = sum(1 for a, b in zip(signs, signs[1:]) if a != b)
    roots = all_roots(flows)
    if not roots:
        raise ValueError("No rate makes payments and drawdowns equal: there is no annual percentage rate.")
    # A normal credit has one root. Where there are several, the one nearest to nil from above is shown first.
    rate = min(roots, key=lambda root: (root < 0, abs(root)))
    percent = rate * 100
    shown = half_up(percent, 1)
    steps = [
        ("Drawdowns", D(repr(sum(a for _, a in flows if a > 0))).quantize(D("0.01")), act),
        ("Payments", D(repr(-sum(a for _, a in flows if a < 0))).quantize(D("0.01")), act),
        ("Changes of sign of the flows in time", changes, None),
        ("Rate at which both sides are equal, in percent", round(percent, 9), act + ", Part I"),
        ("Rounded to one decimal for disclosure", shown, act + ", Part I, remark (d)"),
    ]
    outputs = {
        "apr_percent": round(percent, 9),
        "apr_disclosure": float(shown),
        "roots_percent": [round(root * 100, 9) for root in roots],
        "sign_changes": changes,
        "residual": value_at(flows, rate),
    }
    if len(roots) > 1:
        outputs["note"] = "The flows change sign more than once and several rates satisfy the equation; all are listed."
    if inputs["disclosed_percent"] is not None:
        disclosed = D(inputs["disclosed_percent"])
        outputs["compliant"] = disclosed.quantize(D("0.1"), ROUND_HALF_UP) == shown
        outputs["difference"] = round(float(disclosed) - percent, 9)
        steps.append(("Disclosed rate less the rate found, in percentage points", outputs["difference"], None))
    return {"outputs": outputs, "steps": steps}
