from decimal import Decimal as D


def regulation(ordered, share):
    """The lowest result with at least this share at or below it; where it is exactly the share, the mean with the next."""
    n = len(ordered)
    for at, value in enumerate(ordered):
        if (at + 1) >= share * n:
            return (value + ordered[at + 1]) / 2 if (at + 1) == share * n else value


def interpolated(ordered, place):
    """The value at a place that counts from nil, between two results where it is no whole number."""
    low = int(place)
    rest = place - low
    return ordered[low] if rest == 0 else ordered[low] + (ordered[low + 1] - ordered[low]) * rest


def inclusive(ordered, share):
    return interpolated(ordered, share * (len(ordered) - 1))


def exclusive(ordered, share):
    place = share * (len(ordered) + 1)
    if place < 1 or place > len(ordered):
        return None
    return interpolated(ordered, place - 1)


METHODS = {"us_regulation": regulation, "excel_inclusive": inclusive, "excel_exclusive": exclusive}


def run(inputs, params):
    ordered = sorted(D(value) for value in inputs["results"])
    quarter, half, three = D("0.25"), D("0.5"), D("0.75")
    ranges = {}
    for name, find in METHODS.items():
        values = [find(ordered, share) for share in (quarter, half, three)]
        ranges[name] = {
            key: None if value is None else float(value) for key, value in zip(("lower", "median", "upper"), values)
        }
    find = METHODS[inputs["method"]]
    lower, median, upper = (find(ordered, share) for share in (quarter, half, three))
    if lower is None or upper is None:
        raise ValueError("The exclusive method needs at least three results.")
    law = "Treas. Reg. § 1.482-1(e)(2)(iii)(C)"
    steps = [
        ("Results", len(ordered), law),
        ("25th percentile", float(lower), law),
        ("Median", float(median), law),
        ("75th percentile", float(upper), law),
    ]
    outputs = {"lower": float(lower), "median": float(median), "upper": float(upper), "within": None, "adjustment": None}
    if inputs["tested_result"] is not None:
        tested = D(inputs["tested_result"])
        within = lower <= tested <= upper
        outputs["within"] = within
        outputs["adjustment"] = 0 if within else float(median - tested)
        steps.append(("Adjustment to the median", outputs["adjustment"], "Treas. Reg. § 1.482-1(e)(3)"))
    outputs["methods"] = ranges
    return {"outputs": outputs, "steps": steps}
