from decimal import Decimal as D


def regime_of(inputs):
    if inputs["regime"]:
        return inputs["regime"]
    return "us_2010" if inputs["as_of"] < "2023-12-18" else "us_2023"


def run(inputs, params):
    shares, amounts = inputs["shares_percent"], inputs["amounts"]
    if (shares is None) == (amounts is None):
        raise ValueError("Give shares_percent or amounts.")
    if shares is not None:
        shares = [D(share) for share in shares]
        if sum(shares) > D("100.5"):
            raise ValueError(f"The shares add up to {sum(shares)} percent.")
    else:
        total = sum((D(amount) for amount in amounts), D(0))
        if total <= 0:
            raise ValueError("The amounts must add up to more than nil.")
        shares = [D(amount) / total * 100 for amount in amounts]
    regime = regime_of(inputs)
    before = sum((share * share for share in shares), D(0))
    law = params[regime]["provision"]
    steps = [("Sum of the squared shares", float(before), law)]
    outputs = {"hhi": float(before), "hhi_post": None, "delta": None, "presumption": None, "regime": regime, "zone": None}
    merging = inputs["merging"]
    after, delta, joint = before, D(0), max(shares)
    if merging is not None:
        if len(merging) != 2 or merging[0] == merging[1]:
            raise ValueError("merging names two different firms by their place in the list, counted from 0.")
        if any(place >= len(shares) for place in merging):
            raise ValueError(f"merging counts from 0: the last of {len(shares)} firms is {len(shares) - 1}.")
        a, b = (shares[place] for place in merging)
        delta = 2 * a * b
        after, joint = before + delta, a + b
        outputs["hhi_post"], outputs["delta"] = float(after), float(delta)
        steps.append(("Increase: twice the product of the shares", float(delta), law))
        steps.append(("After the merger", float(after), law))
    rule = params[regime]
    if regime == "eu":
        low, high = D(rule["low"]), D(rule["high"])
        outputs["zone"] = "low" if after < low else "middle" if after <= high else "high"
        if merging is not None:
            harmless = after < low or (after <= high and delta < D(rule["middle_delta"])) or (after > high and delta < D(rule["high_delta"]))
            outputs["presumption"] = not harmless
    else:
        high, moderate = D(rule["high"]), D(rule["moderate"])
        outputs["zone"] = "high" if after > high else "moderate" if after >= moderate else "low"
        if merging is not None:
            presumed = after > high and delta > D(rule["delta"])
            if rule.get("share_percent") is not None:
                presumed = presumed or (joint > D(rule["share_percent"]) and delta > D(rule["delta"]))
            outputs["presumption"] = presumed
    return {"outputs": outputs, "steps": steps}
