from decimal import Decimal as D, ROUND_HALF_UP

MEIP_TO_CQS = {0: 1, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 5, 7: 6}


def cent(x):
    return x.quantize(D("0.01"), ROUND_HALF_UP)


def framework_of(inputs):
    if inputs["framework"]:
        return inputs["framework"]
    if inputs["jurisdiction"] == "UK":
        return "crr2" if inputs["as_of"] < "2027-01-01" else "pra_basel31"
    return "crr2" if inputs["as_of"] < "2025-01-01" else "crr3"


def by_cqs(table, cqs, who):
    if cqs is not None:
        return D(table[cqs - 1])
    if len(table) < 7:
        raise ValueError(f"An unrated {who} takes a weight that depends on its sovereign or grade: it is not covered.")
    return D(table[6])


def in_bands(bands, ltv):
    for band in bands:
        if band["to"] is None or ltv <= D(band["to"]):
            return D(band["weight"])


def split(rule, ltv, counterparty):
    """The part up to a share of the property's value has its own weight, the rest that of the counterparty."""
    limit = D(rule["limit"])
    rest = counterparty if rule["residual"] == "counterparty" else D(rule["residual"])
    if ltv <= limit:
        return D(rule["secured"])
    return D(rule["secured"]) * limit / ltv + rest * (ltv - limit) / ltv


def real_estate(kind, framework, inputs, params):
    if inputs["ltv"] is None:
        raise ValueError("Real estate needs ltv, the loan as a share of the property's value.")
    ltv = D(inputs["ltv"])
    rules = params[framework][kind]
    if framework == "pra_basel31":
        wanted = "income_producing" if inputs["income_producing"] else "general"
        rule = rules[wanted] if wanted in rules else params["pra_real_estate"][kind][wanted]
    else:
        rule = rules["income_producing" if inputs["income_producing"] and "income_producing" in rules else "general"]
    if "bands" in rule:
        return in_bands(rule["bands"], ltv)
    return split(rule, ltv, D(inputs["counterparty_risk_weight"]))


def sme_factor(ead, turnover, rule):
    """Lower factor up to the threshold, higher above it, weighted by amount (art. 501)."""
    if turnover is not None and D(turnover) > D(rule["turnover_to"]):
        return D(1)
    limit = D(rule["threshold"])
    if ead <= limit:
        return D(rule["lower"])
    return (limit * D(rule["lower"]) + (ead - limit) * D(rule["higher"])) / ead


def run(inputs, params):
    framework = framework_of(inputs)
    kind, ead = inputs["exposure_class"], D(inputs["ead"])
    cqs = None if inputs["cqs"] == "none" else int(inputs["cqs"])
    rules = params[framework]
    law = rules["provisions"]
    steps = [("Rule book", framework, None)]
    if kind == "sovereign":
        if cqs is None and inputs["eca_meip_score"] is not None:
            cqs = MEIP_TO_CQS[inputs["eca_meip_score"]]
            steps.append(("Export credit score read as a credit quality step", cqs, "CRR art. 137"))
        weight = by_cqs(rules["sovereign"], cqs, "sovereign")
    elif kind == "institution":
        weight = by_cqs(rules["institution"], cqs, "institution")
    elif kind == "corporate":
        weight = by_cqs(rules["corporate"], cqs, "corporate")
    elif kind == "corporate_sme":
        unrated = rules.get("corporate_sme_unrated")
        weight = D(unrated) if cqs is None and unrated is not None else by_cqs(rules["corporate"], cqs, "corporate")
    elif kind in ("retail", "retail_sme"):
        weight = D(rules["retail"])
    elif kind in ("residential_real_estate", "commercial_real_estate"):
        weight = real_estate(kind, framework, inputs, params)
    else:
        covered = inputs["specific_provisions_share"]
        enough = covered is not None and D(covered) >= D(params["defaulted"]["provisions_from"])
        weight = D(params["defaulted"]["covered" if enough else "other"])
    steps.append(("Risk weight", float(weight), law[kind]))

    before = ead * weight
    steps.append(("Risk-weighted amount before supporting factors", cent(before), law[kind]))
    factor = D(1)
    if kind in ("corporate_sme", "retail_sme") and rules.get("sme_factor"):
        factor = sme_factor(ead, inputs["turnover"], rules["sme_factor"])
        steps.append(("SME supporting factor", float(factor), "CRR art. 501"))
    if inputs["infrastructure"] and rules.get("infrastructure_factor") and kind in ("corporate", "corporate_sme"):
        factor *= D(rules["infrastructure_factor"])
        steps.append(("Infrastructure supporting factor", float(D(rules["infrastructure_factor"])), "CRR art. 501a"))
    rwa = before * factor
    steps.append(("Risk-weighted amount", cent(rwa), law[kind]))
    return {
        "outputs": {
            "framework": framework,
            "risk_weight": float(weight),
            "rwa_before_supporting_factor": cent(before),
            "supporting_factor": float(factor),
            "rwa": cent(rwa),
            "own_funds_8_percent": cent(rwa * D("0.08")),
            "provision": law[kind],
        },
        "steps": steps,
    }
