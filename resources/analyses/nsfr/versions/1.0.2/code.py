from decimal import Decimal as D, ROUND_HALF_UP
from difflib import get_close_matches


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def weighted(rows, factors, kind, provision, steps):
    total = D(0)
    for row in rows or []:
        name, amount = row["category"], D(row["amount"])
        if row.get("factor") is not None:
            factor = D(row["factor"])
        elif name in factors:
            factor = D(factors[name])
        else:
            near = get_close_matches(name, list(factors), 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ValueError(f"There is no {kind} category {name}.{hint} Give a factor of your own, or one of: {', '.join(factors)}.")
        total += amount * factor
        steps.append((f"{name}: {amount} × {factor}", cent(amount * factor), provision))
    return total


def run(inputs, params):
    basel = inputs["framework"] == "basel"
    steps = []
    asf = weighted(inputs["asf"], params["asf_factors"], "ASF", "NSF30.10-14" if basel else "CRR arts. 428k-428o", steps)
    rsf = weighted(inputs["rsf"], params["rsf_factors"], "RSF", "NSF30.25-32" if basel else "CRR arts. 428p-428ah", steps)
    steps.append(("Available stable funding", cent(asf), "NSF30; CRR art. 428b"))
    steps.append(("Required stable funding", cent(rsf), "NSF30; CRR art. 428b"))
    ratio = asf / rsf * 100 if rsf > 0 else None
    if ratio is not None:
        steps.append(("Ratio in percent", round(float(ratio), 6), "NSF30; CRR art. 428b"))
    return {
        "outputs": {
            "asf": cent(asf),
            "rsf": cent(rsf),
            "nsfr_percent": round(float(ratio), 6) if ratio is not None else None,
            "compliant": ratio is None or ratio >= D(params["minimum_percent"]),
            "surplus": cent(asf - rsf * D(params["minimum_percent"]) / 100),
        },
        "steps": steps,
    }
