from datetime import date, timedelta


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_end(day):
    return (day + timedelta(days=1)).month != day.month


def february_end(day):
    return day.month == 2 and month_end(day)


def add_months(day, months):
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(year, month + 1, min(day.day, last))


def leap_days(start, end):
    """29 Februaries after the start, up to and with the end."""
    return sum(1 for year in range(start.year, end.year + 1) if leap(year) and start < date(year, 2, 29) <= end)


def thirty(start, end, d1, d2):
    return 360 * (end.year - start.year) + 30 * (end.month - start.month) + d2 - d1


def bond_basis(start, end, _):
    d1 = min(start.day, 30)
    d2 = 30 if end.day == 31 and d1 == 30 else end.day
    return thirty(start, end, d1, d2)


def us(start, end, _):
    d1, d2 = start.day, end.day
    if february_end(start):
        if february_end(end):
            d2 = 30
        d1 = 30
    if d2 == 31 and d1 >= 30:
        d2 = 30
    return thirty(start, end, min(d1, 30), d2)


def eurobond(start, end, _):
    return thirty(start, end, min(start.day, 30), min(end.day, 30))


def isda_30e(start, end, inputs):
    last = inputs["termination"] is not None and end == date.fromisoformat(inputs["termination"])
    d1 = 30 if month_end(start) else start.day
    d2 = 30 if end.day == 31 or (february_end(end) and not last) else end.day
    return thirty(start, end, d1, d2)


def act_act_isda(start, end):
    if start.year == end.year:
        return (end - start).days / (366 if leap(start.year) else 365)
    first = (date(start.year + 1, 1, 1) - start).days / (366 if leap(start.year) else 365)
    last = (end - date(end.year, 1, 1)).days / (366 if leap(end.year) else 365)
    return end.year - start.year - 1 + first + last


def month_ends(day, months):
    first = add_months(date(day.year, day.month, 1), months + 1)
    return first - timedelta(days=1)


def act_act_icma(start, end, ref_start, ref_end, shift):
    """By the length of the reference period and of its neighbours, split at their edges (ICMA rule 251)."""
    months = int(0.5 + 12 * (ref_end - ref_start).days / 365)
    if months == 0:
        ref_start, ref_end, months = start, shift(start, 12), 12
    total = 0.0

    def count(low, high):
        nonlocal total
        days = (min(end, high) - max(start, low)).days
        if days > 0:
            total += months / 12 * days / (high - low).days

    count(ref_start, ref_end)
    low, high, at = ref_start, ref_end, 1
    while start < low:
        before = shift(ref_start, -months * at)
        count(before, low)
        low, at = before, at + 1
    at = 1
    while end > high:
        after = shift(ref_end, months * at)
        count(high, after)
        high, at = after, at + 1
    return total


def act_act_afb(start, end):
    """Whole years back from the end, and the rest by 366 days where it holds a 29 February."""

    def back(years):
        year = end.year - years
        # The last day of February stays the last day; a 28 February of a leap year is a day like any other.
        return date(year, 3, 1) - timedelta(days=1) if february_end(end) else date(year, end.month, end.day)

    whole = 0
    while back(whole + 1) >= start:
        whole += 1
    edge = back(whole)
    length = 365
    for year in (edge.year, start.year):
        if leap(year) and start <= date(year, 2, 29) < edge:
            length = 366
    return whole + (edge - start).days / length


def months_back(day, months, align):
    moved = add_months(day, -months)
    if align and month_end(day):
        return add_months(date(moved.year, moved.month, 1), 1) - timedelta(days=1)
    return moved


def eu_months(start, end):
    months = max((end.year - start.year) * 12 + end.month - start.month, 0)
    while months > 0 and months_back(end, months, True) < start:
        months -= 1
    rest = months_back(end, months, True)
    length = 366 if leap_days(add_months(rest, -12), rest) else 365
    return months / 12 + (rest - start).days / length


DAYS_360 = {"30/360 bond basis": bond_basis, "30/360 US": us, "30E/360": eurobond, "30E/360 ISDA": isda_30e}
FIXED = {"act/360": 360, "act/364": 364, "act/365F": 365, "act/365.25": 365.25}


def run(inputs, params):
    convention = inputs["convention"]
    start, end = date.fromisoformat(inputs["start"]), date.fromisoformat(inputs["end"])
    if end < start:
        raise ValueError("The end lies before the start.")
    if start.year < 2 or end.year > 9990:
        raise ValueError("The dates are out of range.")
    actual = days = (end - start).days
    if convention in DAYS_360:
        days = DAYS_360[convention](start, end, inputs)
        fraction = days / 360
    elif convention in FIXED:
        fraction = days / FIXED[convention]
    elif convention == "act/365 actual":
        fraction = days / (366 if leap_days(start, end) else 365)
    elif convention == "NL/365":
        days = actual - leap_days(start, end)
        fraction = days / 365
    elif convention == "act/act ISDA":
        fraction = act_act_isda(start, end)
    elif convention == "act/act AFB":
        fraction = act_act_afb(start, end)
    elif convention == "act/act ICMA":
        ref_start = date.fromisoformat(inputs["ref_start"] or inputs["start"])
        ref_end = date.fromisoformat(inputs["ref_end"] or inputs["end"])
        if ref_end <= ref_start:
            if actual == 0:
                ref_end = add_months(ref_start, 12)
            else:
                raise ValueError("The reference period must end after it starts.")
        # A period from one end of a month to another, such as 28 February to 31 August, has neighbours of the same kind.
        ends = month_end(ref_start) and month_end(ref_end) and ref_start.day != ref_end.day
        fraction = act_act_icma(start, end, ref_start, ref_end, month_ends if ends else add_months) if actual else 0.0
    else:
        fraction = eu_months(start, end)
    rule = params["rules"][convention]
    steps = [("Actual days", actual, None), ("Days by the convention", days, rule), ("Fraction of a year", fraction, rule)]
    return {"outputs": {"days": days, "fraction": fraction, "actual_days": actual}, "steps": steps}
