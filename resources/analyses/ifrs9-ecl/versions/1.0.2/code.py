from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def matrix(inputs, steps):
    if not inputs["buckets"]:
        raise ValueError("The provision matrix needs buckets.")
    total, loss, rows = D(0), D(0), []
    for bucket in inputs["buckets"]:
        amount, rate = D(bucket["amount"]), D(bucket["loss_rate"])
        total += amount
        loss += amount * rate
        rows.append({"amount": cent(amount), "loss_rate": float(rate), "ecl": cent(amount * rate)})
        steps.append((f"{amount} × {rate}", cent(amount * rate), "IFRS 9 B5.5.35"))
    steps.append(("Lifetime expected credit loss", cent(loss), "IFRS 9 5.5.15"))
    return {
        "ecl": cent(loss),
        "by_bucket": rows,
        "coverage_percent": round(float(loss / total * 100), 6) if total > 0 else 0,
        "stage": None,
        "stage_reason": "Simplified approach: lifetime expected credit losses (5.5.15).",
    }


def stage_of(inputs):
    stage, late = inputs["stage"], inputs["days_past_due"]
    presumed = None if late is None else 3 if late >= 90 else 2 if late > 30 else 1
    reasons = {
        1: "Stage 1: 12-month expected credit losses (5.5.5).",
        2: "Stage 2: lifetime expected credit losses after a significant increase in risk (5.5.3).",
        3: "Stage 3: credit-impaired; interest is taken on the net amount (5.4.1(b)).",
    }
    if stage is None and presumed is None:
        raise ValueError("The general approach needs stage, or days_past_due.")
    if stage is None:
        why = {1: "", 2: " More than 30 days past due: presumed, rebuttable (5.5.11).", 3: " 90 days past due or more: presumed default, rebuttable (B5.5.37)."}
        return presumed, reasons[presumed] + why[presumed]
    note = ""
    if presumed is not None and presumed > stage:
        note = f" Days past due presume stage {presumed}; the stage given rebuts that."
    return stage, reasons[stage] + note


def loss_of(case, stage, inputs):
    """Loss of one scenario by year, each as (year, probability, discount, loss)."""
    pick = lambda name: case.get(name) if case.get(name) is not None else inputs[name]
    ead, lgd = pick("ead"), pick("lgd")
    if ead is None or lgd is None:
        raise ValueError("The general approach needs ead and lgd.")
    ead, lgd = D(ead), D(lgd)
    rate = 1 + D(inputs["eir"])
    timing = inputs["timing_years"]
    once = D(timing) if timing is not None else D(0 if stage == 3 else 1)
    if stage == 3:
        factor = rate ** -once
        return ead, [(0, D(1), factor, ead * lgd * factor)]
    curve, first = pick("pd_curve"), pick("pd_12m")
    if stage == 1:
        if first is None and curve:
            first = curve[0]
        if first is None:
            raise ValueError("Stage 1 needs pd_12m.")
        factor = rate ** -once
        return ead, [(1, D(first), factor, D(first) * lgd * ead * factor)]
    if not curve:
        if first is None:
            raise ValueError("Stage 2 needs pd_curve, the probability of default in each year.")
        curve = [first]
    if sum(D(pd) for pd in curve) > 1:
        raise ValueError("The probabilities of pd_curve add up to more than 1: it holds the probability in each year, not the sum.")
    rows = []
    for year, pd in enumerate(curve, 1):
        factor = rate ** -(D(year - 1) + once)
        rows.append((year, D(pd), factor, D(pd) * lgd * ead * factor))
    return ead, rows


def general(inputs, steps):
    stage, reason = stage_of(inputs)
    cases = inputs["scenarios"] or [{"weight": "1"}]
    weights = sum(D(case["weight"]) for case in cases)
    if abs(weights - 1) > D("0.000001"):
        raise ValueError(f"The weights of the scenarios add up to {weights}, not to 1.")
    loss, exposure, years = D(0), D(0), {}
    for number, case in enumerate(cases, 1):
        ead, rows = loss_of(case, stage, inputs)
        weight = D(case["weight"])
        exposure += weight * ead
        one = sum(row[3] for row in rows)
        loss += weight * one
        for year, _, _, part in rows:
            years[year] = years.get(year, D(0)) + weight * part
        if len(cases) > 1:
            steps.append((f"Scenario {number}, weight {weight}", cent(one), "IFRS 9 5.5.17(a)"))
    for year, part in sorted(years.items()):
        steps.append((f"Loss of year {year}" if year else "Loss at once", cent(part), "IFRS 9 B5.5.28-B5.5.35"))
    steps.append(("Expected credit loss", cent(loss), "IFRS 9 5.5.17"))
    return {
        "ecl": cent(loss),
        "by_year": [{"year": year, "ecl": cent(part)} for year, part in sorted(years.items())],
        "coverage_percent": round(float(loss / exposure * 100), 6) if exposure > 0 else 0,
        "stage": stage,
        "stage_reason": reason,
        "interest_base": cent(exposure - loss if stage == 3 else exposure),
    }


def run(inputs, params):
    steps = []
    work = matrix if inputs["approach"] == "provision_matrix" else general
    return {"outputs": work(inputs, steps), "steps": steps}
