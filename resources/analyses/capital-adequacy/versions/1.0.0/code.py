from decimal import Decimal as D, ROUND_HALF_UP


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def shown(x):
    return round(float(x), 6)


def run(inputs, params):
    steps = []
    cet1, at1, tier2 = D(inputs["cet1"]), D(inputs["at1"]), D(inputs["tier2"])
    exposure = D(inputs["total_risk_exposure"])
    if inputs["standardised_total_risk_exposure"] is not None:
        floor = params.get("output_floor")
        if floor is None:
            raise ValueError("The output floor applies from 1 January 2025.")
        floored = D(inputs["standardised_total_risk_exposure"]) * D(floor)
        steps.append(("Output floor of the standardised exposure", cent(floored), "CRR arts. 92(3), 465"))
        exposure = max(exposure, floored)
    if exposure <= 0:
        raise ValueError("total_risk_exposure must be more than nil.")

    part = lambda x: x / exposure * 100
    ratios = {"cet1": part(cet1), "tier1": part(cet1 + at1), "total": part(cet1 + at1 + tier2)}
    names = {"cet1": "CET1 ratio", "tier1": "Tier 1 ratio", "total": "Total capital ratio"}
    for name, ratio in ratios.items():
        steps.append((f"{names[name]} in percent", shown(ratio), "CRR art. 92(2)"))

    minimum = params["minimum"]
    p2r = D(inputs["p2r_percent"])
    shares = {"cet1": D(inputs["p2r_cet1_share"]), "tier1": D(inputs["p2r_tier1_share"]), "total": D(1)}
    required = {name: D(minimum[name]) * 100 for name in ratios}
    with_p2r = {name: required[name] + p2r * shares[name] for name in ratios}
    rows = []

    def require(name, label, needed, actual, provision):
        met = actual >= needed
        rows.append({"name": name, "required_percent": shown(needed), "actual_percent": shown(actual), "met": met})
        steps.append((f"{label}: required percent", shown(needed), provision))
        return met

    met = [require(f"pillar1_{name}", names[name], required[name], ratios[name], "CRR art. 92(1)") for name in ratios]
    if p2r > 0:
        met += [
            require(f"pillar2_{name}", names[name] + " with Pillar 2", with_p2r[name], ratios[name], "CRD art. 104a")
            for name in ratios
        ]
    leverage = None
    if inputs["leverage_exposure"] is not None:
        if D(inputs["leverage_exposure"]) <= 0:
            raise ValueError("leverage_exposure must be more than nil.")
        leverage = (cet1 + at1) / D(inputs["leverage_exposure"]) * 100
        if minimum.get("leverage") is not None:
            met.append(require("leverage", "Leverage ratio", D(minimum["leverage"]) * 100, leverage, "CRR art. 92(1)(d)"))

    buffer = (
        D(params["conservation_buffer"]) * 100
        + D(inputs["ccyb_percent"])
        + max(D(inputs["gsii_percent"]), D(inputs["osii_percent"]))
        + D(inputs["syrb_percent"])
    )
    steps.append(("Combined buffer requirement in percent", shown(buffer), "CRD arts. 128-133"))
    needed = max(
        with_p2r["cet1"],
        with_p2r["tier1"] - part(at1),
        with_p2r["total"] - part(at1) - part(tier2),
    )
    free = ratios["cet1"] - needed
    steps.append(("CET1 needed for all minima, in percent", shown(needed), "CRD art. 141(6)"))
    steps.append(("CET1 left for the buffer, in percent", shown(free), "CRD art. 141(6)"))
    buffer_met = free >= buffer
    rows.append({"name": "combined_buffer", "required_percent": shown(buffer), "actual_percent": shown(free), "met": buffer_met})

    quartile = factor = amount = None
    if not buffer_met:
        share = free / buffer
        quartile = 1 if share < D("0.25") else 2 if share < D("0.5") else 3 if share < D("0.75") else 4
        factor = D(params["mda_factor"][str(quartile)])
        steps.append(("Share of the buffer that is met, in percent", shown(share * 100), "CRD art. 141(6)"))
        steps.append((f"Factor of quartile {quartile}", float(factor), "CRD art. 141(6)"))
        if inputs["distributable_profits"] is not None:
            amount = cent(max(D(inputs["distributable_profits"]), D(0)) * factor)
            steps.append(("Maximum distributable amount", amount, "CRD art. 141(4)"))
    return {
        "outputs": {
            "cet1_ratio_percent": shown(ratios["cet1"]),
            "tier1_ratio_percent": shown(ratios["tier1"]),
            "total_ratio_percent": shown(ratios["total"]),
            "leverage_ratio_percent": shown(leverage) if leverage is not None else None,
            "total_risk_exposure": cent(exposure),
            "requirements": rows,
            "combined_buffer_percent": shown(buffer),
            "free_cet1_percent": shown(free),
            "combined_buffer_met": buffer_met,
            "mda_quartile": quartile,
            "mda_factor": float(factor) if factor is not None else None,
            "mda_amount": amount,
            "compliant": all(met) and buffer_met,
        },
        "steps": steps,
    }
