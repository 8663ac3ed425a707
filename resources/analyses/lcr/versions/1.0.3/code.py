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
        steps.append((f"{kind.capitalize()} {name}: {amount} × {factor}", cent(amount * factor), provision))
    return total


def basel_stock(level1, level2a, level2b):
    """Caps of 40 % on level 2 and 15 % on level 2B, as adjustments."""
    over_15 = max(level2b - D(15) / 85 * (level1 + level2a), level2b - D(15) / 60 * level1, D(0))
    over_40 = max(level2a + level2b - over_15 - D(2) / 3 * level1, D(0))
    return level1 + level2a + level2b - over_15 - over_40, over_15, over_40


def eu_stock(level1, covered, level2a, level2b):
    """At least 60 % level 1, 30 % level 1 without covered bonds, at most 15 % level 2B (Annex I)."""
    b = min(covered, D(70) / 30 * level1)
    c = min(level2a, D(40) / 60 * (level1 + b), max(D(70) / 30 * level1 - b, D(0)))
    d = min(
        level2b,
        D(15) / 85 * (level1 + b + c),
        max(D(40) / 60 * (level1 + b) - c, D(0)),
        max(D(70) / 30 * level1 - b - c, D(0)),
    )
    return level1 + b + c + d, covered - b


def run(inputs, params):
    basel = inputs["framework"] == "basel"
    steps, assets = [], inputs["hqla"]
    cut = params["haircuts"]
    value = lambda name: D(assets[name]) * (1 - D(cut[name]))
    level1, level2a = value("level1"), value("level2a")
    level2b = value("level2b_rmbs") + value("level2b_50")
    covered = D(0)
    law = "LCR30 (BCBS 238 paras 46-54)" if basel else "Delegated Regulation (EU) 2015/61 art. 17, Annex I"
    steps.append(("Level 1 assets", cent(level1), law))
    if D(assets["level1_covered_bonds"]) > 0:
        if basel:
            raise ValueError("Covered bonds are level 1 only in the EU framework.")
        covered = D(assets["level1_covered_bonds"]) * (1 - D(params["haircut_covered_bonds"]))
        steps.append(("Level 1 covered bonds after haircut", cent(covered), law))
    steps.append(("Level 2A assets after haircut", cent(level2a), law))
    steps.append(("Level 2B assets after haircut", cent(level2b), law))
    held, over_15, over_40 = basel_stock(level1, level2a, level2b)
    over_70 = D(0)
    if not basel and covered > 0:
        held, over_70 = eu_stock(level1, covered, level2a, level2b)
        over_15 = D(0)
        over_40 = level1 + covered + level2a + level2b - over_70 - held
    steps.append(("Adjustment for the cap on level 2B", cent(over_15), law))
    steps.append(("Adjustment for the cap on level 2", cent(over_40), law))
    steps.append(("High quality liquid assets", cent(held), law))

    out = weighted(inputs["outflows"], params["outflow_factors"], "outflow", "LCR40; Delegated Regulation (EU) 2015/61 arts. 22-31", steps)
    into = weighted(inputs["inflows"], params["inflow_factors"], "inflow", "LCR40; Delegated Regulation (EU) 2015/61 arts. 32-34", steps)
    cap = out * D(params["inflow_cap"])
    counted = min(into, cap)
    net = out - counted
    steps.append(("Total outflows", cent(out), "LCR20"))
    steps.append(("Inflows, at most 75 % of outflows", cent(counted), "LCR40.75; Delegated Regulation (EU) 2015/61 art. 33"))
    steps.append(("Net outflows", cent(net), "LCR20"))
    ratio = held / net * 100 if net > 0 else None
    least = D(params["minimum_percent"])
    if ratio is not None:
        steps.append(("Ratio in percent", round(float(ratio), 6), "LCR20; CRR art. 412"))
    return {
        "outputs": {
            "hqla": cent(held),
            "outflows": cent(out),
            "inflows": cent(counted),
            "net_outflows": cent(net),
            "lcr_percent": round(float(ratio), 6) if ratio is not None else None,
            "compliant": ratio is None or ratio >= least,
            "surplus": cent(held - net * least / 100),
            "adjustment_15": cent(over_15),
            "adjustment_40": cent(over_40),
            "adjustment_covered_bonds": cent(over_70),
            "inflows_over_cap": cent(into - counted),
        },
        "steps": steps,
    }
