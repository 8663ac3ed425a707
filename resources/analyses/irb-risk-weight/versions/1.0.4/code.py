import math
from decimal import Decimal as D, ROUND_HALF_UP
from statistics import NormalDist

NORMAL = NormalDist()


def weight(pd, k):
    return (1 - math.exp(-k * pd)) / (1 - math.exp(-k))


def pd_floor(framework, asset_class, transactor, params):
    if framework in ("basel2", "uk_crr"):
        return float(D(params["pd_floor"]["crr"]))
    if asset_class == "qualifying_revolving_retail":
        return float(D(params["pd_floor_revolving"]["transactor" if transactor else "revolver"]))
    return float(D(params["pd_floor"]["basel3"]))


def run(inputs, params):
    framework, asset_class = inputs["framework"], inputs["asset_class"]
    given, lgd = float(D(inputs["pd"])), float(D(inputs["lgd"]))
    rules = params["functions"]
    steps = []
    law = {"basel2": "Basel II", "basel3": "CRE31", "crr3": "CRR", "uk_crr": "UK CRR"}[framework]
    wholesale = asset_class in ("corporate", "hvcre")

    if given >= 1:
        best = float(D(inputs["best_estimate_lgd"])) if inputs["best_estimate_lgd"] is not None else lgd
        pd, correlation, adjustment = 1.0, 0.0, 1.0
        k = max(0.0, lgd - best)
        expected = best
        steps.append(("In default: K is LGD less the best estimate of loss, not below nil", k, "CRR art. 153(1)(ii), 154(1)(i)"))
    else:
        pd = max(given, pd_floor(framework, asset_class, inputs["transactor"], params))
        steps.append(("Probability of default, with its floor", pd, "CRR art. 160(1), 163(1)"))
        adjustment = 1.0
        if asset_class == "residential_mortgage":
            correlation = float(D(rules["residential_mortgage_r"]))
        elif asset_class == "qualifying_revolving_retail":
            correlation = float(D(rules["qualifying_revolving_r"]))
        else:
            curve = rules["other_retail" if asset_class == "other_retail" else asset_class]
            w = weight(pd, float(D(curve["k"])))
            correlation = float(D(curve["r_low"])) * w + float(D(curve["r_high"])) * (1 - w)
        if wholesale:
            turnover = inputs["turnover_meur"]
            small, large = float(D(rules["sme_from_meur"])), float(D(rules["sme_to_meur"]))
            if asset_class == "corporate" and turnover is not None and float(D(turnover)) < large:
                size = max(float(D(turnover)), small)
                correlation -= float(D(rules["sme_adjustment"])) * (1 - (size - small) / (large - small))
            if inputs["large_or_unregulated_financial"]:
                correlation *= float(D(rules["fi_multiplier"]))
            maturity = float(D(inputs["maturity_years"]))
            b = (float(D(rules["maturity_b0"])) - float(D(rules["maturity_b1"])) * math.log(pd)) ** 2
            adjustment = (1 + (maturity - 2.5) * b) / (1 - 1.5 * b)
            steps.append(("Maturity slope b", b, f"{law}, maturity adjustment"))
        steps.append(("Correlation R", correlation, "CRR arts. 153, 154; CRE31.5 and following"))
        conditional = NORMAL.cdf(
            (NORMAL.inv_cdf(pd) + math.sqrt(correlation) * NORMAL.inv_cdf(float(D(rules["confidence"]))))
            / math.sqrt(1 - correlation)
        )
        steps.append(("Conditional probability of default at 99.9 %", conditional, "CRE31.4"))
        k = (lgd * conditional - pd * lgd) * adjustment
        expected = pd * lgd

    scaling = inputs["scaling_factor"]
    scaling = float(D(scaling)) if scaling is not None else float(D(params["scaling"][framework]))
    risk_weight = 12.5 * k * scaling
    steps.append(("Capital requirement K", k, "CRE31.4; CRR arts. 153, 154"))
    steps.append(("Risk weight: 12.5 × K × scaling factor", risk_weight, "CRR art. 153(1)"))
    outputs = {
        "pd_used": pd,
        "correlation": correlation,
        "maturity_adjustment": adjustment,
        "capital_k": k,
        "scaling_factor": scaling,
        "risk_weight_percent": risk_weight * 100,
        "rwa": None,
        "expected_loss": None,
    }
    if inputs["ead"] is not None:
        ead = D(inputs["ead"])
        cent = lambda x: x.quantize(D("0.01"), ROUND_HALF_UP)
        outputs["rwa"] = cent(ead * D(repr(risk_weight)))
        outputs["expected_loss"] = cent(ead * D(repr(expected)))
        steps.append(("Risk-weighted exposure amount", outputs["rwa"], "CRR art. 153"))
        steps.append(("Expected loss: PD × LGD × exposure", outputs["expected_loss"], "CRR art. 158"))
    return {"outputs": outputs, "steps": steps}
